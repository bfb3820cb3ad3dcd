#pragma once

// Whether this is a sanitizer's build: the longest tests then take samples, and the sanitizer has
// the allocation functions to itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PDEGCN_SANITIZED 1
#elif defined(__has_feature)
#define PDEGCN_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define PDEGCN_SANITIZED 0
#endif
