#include "pdegcn/kernels/random.h"
