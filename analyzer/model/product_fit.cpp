#include "analyzer/product_fit.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace seam::analyzer {

using graph::Order;

namespace {

enum Role : std::uint8_t { Batch, Row, Column, Contracted };

/// A dim of the whole product: an index that up to three of the tensors share. -1 = not among its dims.
struct Axis {
  Role role{};
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> dim{-1, -1, -1};  ///< in lhs, rhs, result
};

std::vector<Axis> axes_of(const ProductDims& p) {
  std::vector<Axis> axes;
  std::int64_t next = 0;
  const auto contains = [](const std::vector<std::int64_t>& list, std::int64_t dim) { return std::ranges::find(list, dim) != list.end(); };
  for (std::size_t i = 0; i < p.dot.lhs_batch.size(); ++i)
    axes.push_back({Batch, p.lhs[static_cast<std::size_t>(p.dot.lhs_batch[i])], {p.dot.lhs_batch[i], p.dot.rhs_batch[i], next++}});
  for (std::int64_t d = 0; d < std::ssize(p.lhs); ++d)
    if (!contains(p.dot.lhs_batch, d) && !contains(p.dot.lhs_contract, d)) axes.push_back({Row, p.lhs[static_cast<std::size_t>(d)], {d, -1, next++}});
  for (std::int64_t d = 0; d < std::ssize(p.rhs); ++d)
    if (!contains(p.dot.rhs_batch, d) && !contains(p.dot.rhs_contract, d)) axes.push_back({Column, p.rhs[static_cast<std::size_t>(d)], {-1, d, next++}});
  for (std::size_t i = 0; i < p.dot.lhs_contract.size(); ++i)
    axes.push_back({Contracted, p.lhs[static_cast<std::size_t>(p.dot.lhs_contract[i])], {p.dot.lhs_contract[i], p.dot.rhs_contract[i], -1}});
  return axes;
}

/// Numbers of axes in the order in which a tensor holds them; extents of 1 have no place.
std::vector<std::size_t> lying(const std::vector<Axis>& axes, std::size_t tensor, const Order& order) {
  std::vector<std::size_t> out;
  for (const std::int64_t dim : order)
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (axes[a].dim[tensor] == dim && axes[a].extent > 1) out.push_back(a);
  return out;
}

/// The axes of each role in the order that all tensors must follow; filled by the first that has them.
using RoleOrders = std::array<std::optional<std::vector<std::size_t>>, 4>;

/// Whether the tensor is a batch of matrices under `orders`, which it extends by its own roles.
bool takes(const std::vector<Axis>& axes, const std::vector<std::size_t>& held, RoleOrders& orders) {
  std::array<std::vector<std::size_t>, 4> found;
  std::optional<Role> last;
  for (const std::size_t a : held) {
    const Role role = axes[a].role;
    if (last != role && !found[role].empty()) return false;  // torn apart
    found[role].push_back(a);
    last = role;
  }
  // Unit stride along rows, columns or the contracted dims; a batch of vectors of one element has none.
  if (last == Batch && found[Row].size() + found[Column].size() + found[Contracted].size() > 0) return false;
  for (const Role role : {Batch, Row, Column, Contracted}) {
    if (found[role].empty()) continue;
    if (!orders[role]) {
      orders[role] = found[role];
    } else if (*orders[role] != found[role]) {
      return false;
    }
  }
  return true;
}

/// The order in which a copied tensor is handed over: batch, then rows or columns, then what is contracted, each as the others have it.
Order handed_over(const std::vector<Axis>& axes, std::size_t tensor, const RoleOrders& orders, const Order& own) {
  std::vector<std::size_t> sequence;
  for (const Role role : {Batch, Row, Column, Contracted}) {
    std::vector<std::size_t> list;
    if (orders[role]) list = *orders[role];
    for (const std::size_t a : lying(axes, tensor, own))
      if (axes[a].role == role && std::ranges::find(list, a) == list.end()) list.push_back(a);
    for (const std::size_t a : list)
      if (axes[a].dim[tensor] >= 0) sequence.push_back(a);
  }
  Order out;
  for (const std::int64_t dim : own)  // extents of 1 first
    if (std::ranges::none_of(sequence, [&](std::size_t a) { return axes[a].dim[tensor] == dim; })) out.push_back(dim);
  for (const std::size_t a : sequence) out.push_back(axes[a].dim[tensor]);
  return out;
}

}  // namespace

ProductDims product_dims(const graph::Computation& computation, const graph::Op& dot) {
  return {computation.ops[dot.operands[0]].shape.dims, computation.ops[dot.operands[1]].shape.dims, dot.shape.dims, dot.attributes.dot};
}

ProductFit product_fit(const ProductDims& dims, const ProductOrders& orders, std::int64_t operand_bytes, std::int64_t result_bytes) {
  const std::vector<Axis> whole = axes_of(dims);
  const auto elements = [](const std::vector<std::int64_t>& extents) {
    double product = 1;
    for (const std::int64_t extent : extents) product *= static_cast<double>(extent);
    return product;
  };
  const std::array<double, 3> weight = {elements(dims.lhs) * static_cast<double>(operand_bytes), elements(dims.rhs) * static_cast<double>(operand_bytes),
                                        elements(dims.result) * static_cast<double>(result_bytes)};
  const std::array<const Order*, 3> own = {&orders.lhs, &orders.rhs, &orders.result};
  // Which axis is the batch where no dim is: none, or one of the free ones.
  std::vector<std::optional<std::size_t>> batches{std::nullopt};
  const bool batched = std::ranges::any_of(whole, [](const Axis& axis) { return axis.role == Batch && axis.extent > 1; });
  for (std::size_t a = 0; a < whole.size() && !batched; ++a)
    if ((whole[a].role == Row || whole[a].role == Column) && whole[a].extent > 1) batches.emplace_back(a);

  ProductFit best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::optional<std::size_t>& batch : batches) {
    std::vector<Axis> axes = whole;
    if (batch) axes[*batch].role = Batch;
    for (unsigned copied = 0; copied < 8; ++copied) {
      double cost = 0;
      for (std::size_t t = 0; t < 3; ++t)
        if ((copied >> t & 1U) != 0) cost += weight[t];
      if (cost >= least) continue;
      RoleOrders roles;
      bool fits = true;
      for (std::size_t t = 0; t < 3 && fits; ++t)
        if ((copied >> t & 1U) == 0) fits = takes(axes, lying(axes, t, *own[t]), roles);
      if (!fits) continue;
      std::array<Order, 3> seen;
      for (std::size_t t = 0; t < 3; ++t) {
        seen[t] = *own[t];
        if ((copied >> t & 1U) == 0) continue;
        seen[t] = handed_over(axes, t, roles, *own[t]);
        fits = fits && takes(axes, lying(axes, t, seen[t]), roles);
      }
      if (!fits) continue;
      least = cost;
      best = {(copied & 1U) != 0, (copied & 2U) != 0, (copied & 4U) != 0, {seen[0], seen[1], seen[2]}};
    }
  }
  return best;
}

}  // namespace seam::analyzer
