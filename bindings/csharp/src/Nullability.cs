// C# 8's attribute under its own name, by which compilers know it: mono's library lacks it, and its compiler has no `?` on classes.
namespace System.Diagnostics.CodeAnalysis {

[AttributeUsage(AttributeTargets.Property | AttributeTargets.ReturnValue)]
internal sealed class MaybeNullAttribute : Attribute {}
}
