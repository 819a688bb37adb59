#include "signatures.h"

#include <type_traits>
#include <utility>

#include "dlpack_structs.h"

namespace signatures {
namespace {

template <class T>
struct handle_of {
  static constexpr Handle value = Handle::none;
  static constexpr void (*release)(void*) = nullptr;
};
#define HANDLE(type)                                                                                  \
  template <>                                                                                         \
  struct handle_of<type> {                                                                            \
    static constexpr Handle value = Handle::type;                                                     \
    static constexpr void (*release)(void*) = [](void* h) { type##_release(static_cast<type*>(h)); }; \
  };
#include "handles.inc"
#undef HANDLE

template <class T, class = void>
struct is_sized : std::false_type {};
template <class T>
struct is_sized<T, std::void_t<decltype(std::declval<T>().struct_size)>> : std::true_type {};
template <class T, class = void>
struct is_complete : std::false_type {};
template <class T>
struct is_complete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

template <class T>
constexpr Type innermost(uint8_t pointers, bool constant) {
  Type t{Kind::opaque, handle_of<T>::value, pointers, constant, false, 0, handle_of<T>::release};
  if constexpr (std::is_void_v<T>) {
    t.kind = Kind::nothing;
  } else if constexpr (handle_of<T>::value != Handle::none) {
    t.kind = Kind::handle;
  } else if constexpr (!std::is_function_v<T> && is_complete<T>::value) {
    t.size = sizeof(T);
    t.sized = is_sized<T>::value;
    t.kind = std::is_same_v<T, haft_scalar> ? Kind::scalar
             : std::is_same_v<T, char>      ? Kind::text
             : std::is_class_v<T>           ? Kind::structure
             : std::is_floating_point_v<T>  ? Kind::real
                                            : Kind::integer;
  }
  return t;
}
template <class T>
constexpr Type type_of() {
  using P = std::remove_pointer_t<T>;
  using U = std::remove_const_t<P>;
  if constexpr (!std::is_pointer_v<T>)
    return innermost<T>(0, false);
  else if constexpr (!std::is_pointer_v<U>)
    return innermost<U>(1, std::is_const_v<P>);
  else
    return innermost<std::remove_const_t<std::remove_pointer_t<U>>>(2, std::is_const_v<P>);
}

template <class T>
T as(const Value& v) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(v.pointer);
  else if constexpr (std::is_same_v<T, haft_scalar>)
    return v.scalar;
  else if constexpr (std::is_floating_point_v<T>)
    return T(v.real);
  else
    return T(v.integer);
}

// One for all functions of the same type.
template <class R, class... A>
struct FunctionType {
  static constexpr Type types[] = {type_of<A>()..., Type{}};
  template <size_t... I>
  static haft_status call_with(R (*f)(A...), const Value* v, std::index_sequence<I...>) {
    if constexpr (std::is_same_v<R, haft_status>) return f(as<A>(v[I])...);
    f(as<A>(v[I])...);
    return HAFT_OK;
  }
  static haft_status call(void (*address)(), const Value* v) {
    return call_with(reinterpret_cast<R (*)(A...)>(address), v, std::index_sequence_for<A...>{});
  }
};

template <class R, class... A>
Function function(const char* name, R (*f)(A...)) {
  using S = FunctionType<R, A...>;
  return {name,        reinterpret_cast<void (*)()>(f), S::call, std::is_same_v<R, haft_status>, S::types,
          sizeof...(A)};
}
template <class R, class... A>
Function function(const char* name, R (*f)(A...) noexcept) {
  return function(name, static_cast<R (*)(A...)>(f));
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
#define FUNCTION(f) function(#f, &f),
#include "symbols.inc"
#undef FUNCTION
  };
  return all;
}

}  // namespace signatures
