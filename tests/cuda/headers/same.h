// Whether a function that the plug-in declares by itself has the shape of NVIDIA's: parameters of equal sizes and
// kinds.
#pragma once
#include <type_traits>

namespace haft::cuda {

template <class Mine, class Theirs>
constexpr bool same_kind =
    sizeof(Mine) == sizeof(Theirs) && std::is_pointer_v<Mine> ==
                                          std::is_pointer_v<Theirs>&& std::is_floating_point_v<Mine> ==
                                          std::is_floating_point_v<Theirs>;
template <>
inline constexpr bool same_kind<void, void> = true;

template <class Mine, class Theirs>
struct SameShape : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameShape<R (*)(A...), S (*)(B...)>
    : std::bool_constant<same_kind<R, S> && (same_kind<A, B> && ...)> {
};

}  // namespace haft::cuda

// A member of a table of functions against the function of its name.
#define HAFT_SAME(Table, name)                                                            \
  static_assert(::haft::cuda::SameShape<decltype(Table::name), decltype(&::name)>::value, \
                #name " has other parameters")
