#include "pdegcn/data/node_link.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace pdegcn::data {
namespace {

using nlohmann::json;

// What both readers share: values arrive one by one and nothing is kept of the text. The depth is
// the number of open objects and arrays.
class Handler : public nlohmann::json_sax<json> {
 public:
  explicit Handler(const File& file) : file_(&file) {}

  bool null() override { return other(); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return other();
    return integer(static_cast<std::int64_t>(value));
  }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_float(number_float_t value, const string_t&) override {
    // Labels are sometimes written as 1.0.
    constexpr double kExact = 9007199254740992.0;
    if (!(value >= -kExact && value <= kExact) ||
        value != static_cast<double>(static_cast<std::int64_t>(value)))
      return other();
    return integer(static_cast<std::int64_t>(value));
  }
  bool binary(binary_t&) override { return other(); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string_view reason = error.what();
    reason.remove_prefix(reason.find(']') + 2);  // the number of the exception
    file_->fail_at_byte(at, "{:.160}", reason);
  }

  void parse() {
    const std::string_view text = file_->content();
    json::sax_parse(text.begin(), text.end(), this);
  }

 protected:
  virtual bool integer(std::int64_t value) = 0;
  virtual bool other() = 0;
  virtual bool open() = 0;
  virtual bool close() = 0;

  [[noreturn]] void fail(const std::string& message) const {
    throw Error("{}: {}", file_->name(), message);
  }

  int depth_ = 0;
  const File* file_;
};

class NodeLinkHandler : public Handler {
 public:
  using Handler::Handler;

  NodeLink finish() {
    parse();
    if (!nodes_seen_ || !links_seen_) fail("there are no \"nodes\" and \"links\"");
    NodeLink& out = result_;
    std::vector<NodeId> place(names_.size(), -1);  // of each name among the nodes
    for (std::size_t k = 0; k < node_names_.size(); ++k) {
      NodeId& at = place[node_names_[k]];
      if (at != -1) fail(fmt::format("node '{:.40}' is there twice", out.ids[k]));
      at = static_cast<NodeId>(k);
    }
    const auto end = [&](End e) {
      if (!e.text) {
        if (numbers_are_places_ || text_ids_) {
          if (e.value < 0 || e.value >= static_cast<std::int64_t>(out.ids.size()))
            fail(fmt::format("a link names node {} of {}", e.value, out.ids.size()));
          return static_cast<NodeId>(e.value);
        }
        const auto found = names_.find(std::to_string(e.value));
        if (found == names_.end() || place[found->second] == -1)
          fail(fmt::format("a link names node {}, which is not listed", e.value));
        return place[found->second];
      }
      if (place[e.value] == -1) fail("a link names a node that is not listed");
      return place[e.value];
    };
    out.edges.reserve(links_.size() / 2);
    for (std::size_t k = 0; k < links_.size(); k += 2)
      out.edges.push_back({end(links_[k]), end(links_[k + 1])});
    return std::move(out);
  }

  bool key(string_t& name) override {
    if (depth_ == 1)
      section_ = name == "nodes"   ? Section::kNodes
                 : name == "links" ? Section::kLinks
                                   : Section::kOther;
    if (depth_ == 3) key_ = name;
    return true;
  }

  bool string(string_t& value) override {
    if (depth_ == 3 && section_ == Section::kNodes && key_ == "id") {
      text_ids_ = true;
      numbers_are_places_ = false;
      add_node(value);
    } else if (is_end()) {
      set_end({true, intern(value)});
    }
    return true;
  }

  bool boolean(bool value) override {
    if (depth_ == 3 && section_ == Section::kNodes) {
      if (key_ == "val") validation_ = value;
      if (key_ == "test") test_ = value;
    }
    return true;
  }

 protected:
  bool integer(std::int64_t value) override {
    if (depth_ == 3 && section_ == Section::kNodes && key_ == "id") {
      numbers_are_places_ &= value == static_cast<std::int64_t>(result_.ids.size());
      add_node(std::to_string(value));
    } else if (is_end()) {
      set_end({false, value});
    }
    return true;
  }
  bool other() override { return true; }

  bool open() override {
    ++depth_;
    if (depth_ == 2) {
      nodes_seen_ |= section_ == Section::kNodes;
      links_seen_ |= section_ == Section::kLinks;
    }
    if (depth_ == 3) {
      have_id_ = validation_ = test_ = false;
      ends_ = 0;
    }
    return true;
  }

  bool close() override {
    if (depth_ == 3 && section_ == Section::kNodes) {
      if (!have_id_) fail(fmt::format("node {} has no id", result_.ids.size()));
      result_.validation.push_back(validation_);
      result_.test.push_back(test_);
    }
    if (depth_ == 3 && section_ == Section::kLinks) {
      if (ends_ != 3) fail(fmt::format("link {} lacks source or target", links_.size() / 2));
      links_.push_back(source_);
      links_.push_back(target_);
    }
    if (depth_ == 2) section_ = Section::kOther;
    --depth_;
    return true;
  }

 private:
  enum class Section { kOther, kNodes, kLinks };
  struct End {
    bool text = false;
    std::int64_t value = 0;  // a number, or that of a name
  };

  bool is_end() const {
    return depth_ == 3 && section_ == Section::kLinks && (key_ == "source" || key_ == "target");
  }

  void set_end(End end) {
    (key_ == "source" ? source_ : target_) = end;
    ends_ |= key_ == "source" ? 1 : 2;
  }

  std::int64_t intern(const std::string& name) {
    return names_.emplace(name, static_cast<std::int64_t>(names_.size())).first->second;
  }

  void add_node(std::string name) {
    if (have_id_) fail(fmt::format("node {} has two ids", result_.ids.size() - 1));
    have_id_ = true;
    node_names_.push_back(intern(name));
    result_.ids.push_back(std::move(name));
  }

  NodeLink result_;
  std::unordered_map<std::string, std::int64_t> names_;
  std::vector<std::int64_t> node_names_;
  std::vector<End> links_;  // source and target alternate
  Section section_ = Section::kOther;
  std::string key_;
  bool nodes_seen_ = false, links_seen_ = false;
  bool text_ids_ = false;           // some id is text
  bool numbers_are_places_ = true;  // node k has the id k
  bool have_id_ = false, validation_ = false, test_ = false;
  int ends_ = 0;  // which of source (1) and target (2) the link has
  End source_, target_;
};

class NumberMapHandler : public Handler {
 public:
  using Use = std::function<void(const std::string&, const std::vector<std::int64_t>&)>;
  NumberMapHandler(const File& file, const Use& use) : Handler(file), use_(&use) {}

  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool string(string_t&) override { return other(); }
  bool boolean(bool value) override { return integer(value); }

 protected:
  bool integer(std::int64_t value) override {
    if (depth_ == 0) return other();
    if (depth_ == 1)
      (*use_)(key_, {value});
    else
      numbers_.push_back(value);
    return true;
  }
  bool other() override { fail("a value that is no whole number"); }
  bool open() override {
    if (++depth_ > 2) fail("the entry of '" + key_.substr(0, 40) + "' is no list of whole numbers");
    numbers_.clear();
    return true;
  }
  bool close() override {
    if (depth_-- == 2) (*use_)(key_, numbers_);
    return true;
  }

 private:
  const Use* use_;
  std::string key_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace

NodeLink read_node_link(const File& file) {
  return NodeLinkHandler(file).finish();
}

void read_number_map(
    const File& file,
    const std::function<void(const std::string& key, const std::vector<std::int64_t>&)>& use) {
  NumberMapHandler(file, use).parse();
}

}  // namespace pdegcn::data
