#pragma once
/// Small helpers that passes share.
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/index_math.h"
#include "codegen/kernel.h"

namespace seam::codegen {

/// The kernel's body with f applied to each block, inner blocks first.
template <class F>
Body map_blocks(const Body& body, F&& f) {
  Body out;
  out.reserve(body.size());
  for (const Stmt& s : body) {
    out.push_back(match(
        s, [&](const For& n) -> Stmt { return For{n.var, n.begin, n.end, n.step, map_blocks(n.body, f)}; },
        [&](const If& n) -> Stmt {
          Body then = map_blocks(n.then, f);
          return If{n.condition, std::move(then), map_blocks(n.otherwise, f)};
        },
        [&](const auto&) -> Stmt { return s; }));
  }
  return f(std::move(out));
}

/// Calls f on every statement, outer ones first.
template <class F>
void for_each_stmt(const Body& body, F&& f) {
  for (const Stmt& s : body) {
    f(s);
    match(
        s, [&](const For& n) { for_each_stmt(n.body, f); },
        [&](const If& n) {
          for_each_stmt(n.then, f);
          for_each_stmt(n.otherwise, f);
        },
        [](const auto&) {});
  }
}

/// Calls f on e and everything below it.
template <class F>
void for_each_node(const Expr& e, F&& f) {
  f(e);
  for_each_child(e, [&](const Expr& child) { for_each_node(child, f); });
}

/// The names a statement makes visible after it.
[[nodiscard]] std::vector<std::string> defined_by(const Stmt& s);
/// Buffers that the body reads.
[[nodiscard]] std::unordered_set<std::string> loaded_buffers(const Body& body);
/// Variables put in for others, index arithmetic simplified again with what is known of ranges.
[[nodiscard]] Expr substituted(const Expr& e, const std::unordered_map<std::string, Expr>& values, const IndexMath& math);

}  // namespace seam::codegen
