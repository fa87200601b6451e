#include "schema.h"

#include <fstream>
#include <iterator>
#include <regex>

namespace seam::test {
namespace {

using Json = nlohmann::json;

Json load(const std::string& file) {
  std::ifstream in(std::string(SEAM_SCHEMAS) + "/" + file);
  return Json::parse(std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()));
}

bool is(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  return false;
}

class Checker {
 public:
  std::vector<std::string> problems;

  void check(const Json& value, const Json& schema, const Json& document, const std::string& path) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) problems.push_back(path + ": the schema has no such field");
      return;
    }
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$schema" || keyword == "$id" || keyword == "title" || keyword == "description" || keyword == "$defs") continue;
      apply(keyword, rule, value, schema, document, path);
    }
  }

 private:
  void apply(const std::string& keyword, const Json& rule, const Json& value, const Json& schema, const Json& document, const std::string& path) {
    const auto wrong = [&](const std::string& what) { problems.push_back(path + ": " + what); };
    if (keyword == "type") {
      const Json types = rule.is_array() ? rule : Json::array({rule});
      if (std::none_of(types.begin(), types.end(), [&](const Json& t) { return is(value, t.get<std::string>()); })) wrong("is " + std::string(value.type_name()) + ", not " + rule.dump());
    } else if (keyword == "const") {
      if (value != rule) wrong("is not " + rule.dump());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) wrong(value.dump() + " is none of " + rule.dump());
    } else if (keyword == "required") {
      for (const Json& key : rule) {
        if (value.is_object() && !value.contains(key.get<std::string>())) wrong("lacks " + key.get<std::string>());
      }
    } else if (keyword == "properties") {
      for (const auto& [key, sub] : rule.items()) {
        if (value.is_object() && value.contains(key)) check(value[key], sub, document, path + "." + key);
      }
    } else if (keyword == "additionalProperties") {
      if (!value.is_object()) return;
      for (const auto& [key, item] : value.items()) {
        if (!schema.contains("properties") || !schema["properties"].contains(key)) check(item, rule, document, path + "." + key);
      }
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) check(value[i], rule, document, path + "[" + std::to_string(i) + "]");
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule) wrong(value.dump() + " is below " + rule.dump());
    } else if (keyword == "maximum") {
      if (value.is_number() && value > rule) wrong(value.dump() + " is above " + rule.dump());
    } else if (keyword == "pattern") {
      if (value.is_string() && !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))) wrong(value.dump() + " does not match " + rule.dump());
    } else if (keyword == "allOf") {
      for (const Json& sub : rule) check(value, sub, document, path);
    } else if (keyword == "anyOf") {
      std::vector<std::string> all;
      for (const Json& sub : rule) {
        Checker one;
        one.check(value, sub, document, path);
        if (one.problems.empty()) return;
        all.insert(all.end(), one.problems.begin(), one.problems.end());
      }
      problems.insert(problems.end(), all.begin(), all.end());
    } else if (keyword == "$ref") {
      const std::string target = rule;
      const auto hash = target.find('#');
      const std::string file = target.substr(0, hash);
      const Json other = file.empty() ? document : load(file);
      const Json& at = hash == std::string::npos ? other : other.at(Json::json_pointer(target.substr(hash + 1)));
      check(value, at, other, path);
    } else {
      wrong("the checker does not know the keyword " + keyword);
    }
  }
};

}  // namespace

std::vector<std::string> schema_problems(const Json& value, const std::string& schema) {
  const Json document = load(schema);
  Checker checker;
  checker.check(value, document, document, "$");
  return checker.problems;
}

}  // namespace seam::test
