// C#'s operators on tensors and numbers. A number takes part in promotion by its kind: tensor * 2.0 keeps float32.
namespace Haft {

public partial class Tensor {
  /// <summary>Sum, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator +(Tensor a, Tensor b) { return a.Add(b); }
  /// <summary>Sum, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator +(Tensor a, double b) { return a.Add(b); }
  /// <summary>Sum, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator +(double a, Tensor b) { return b.Add(a); }
  /// <summary>Sum, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator +(Tensor a, long b) { return a.Add(b); }
  /// <summary>Sum, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator +(long a, Tensor b) { return b.Add(a); }
  /// <summary>Difference, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator -(Tensor a, Tensor b) { return a.Sub(b); }
  /// <summary>Difference, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator -(Tensor a, double b) { return a.Sub(b); }
  /// <summary>Difference, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator -(double a, Tensor b) { return b.Rsub(a); }
  /// <summary>Difference, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator -(Tensor a, long b) { return a.Sub(b); }
  /// <summary>Difference, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator -(long a, Tensor b) { return b.Rsub(a); }
  /// <summary>Product, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator *(Tensor a, Tensor b) { return a.Mul(b); }
  /// <summary>Product, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator *(Tensor a, double b) { return a.Mul(b); }
  /// <summary>Product, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator *(double a, Tensor b) { return b.Mul(a); }
  /// <summary>Product, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator *(Tensor a, long b) { return a.Mul(b); }
  /// <summary>Product, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator *(long a, Tensor b) { return b.Mul(a); }
  /// <summary>Quotient, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator /(Tensor a, Tensor b) { return a.Div(b); }
  /// <summary>Quotient, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator /(Tensor a, double b) { return a.Div(b); }
  /// <summary>Quotient, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator /(double a, Tensor b) { return b.Rdiv(a); }
  /// <summary>Quotient, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator /(Tensor a, long b) { return a.Div(b); }
  /// <summary>Quotient, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator /(long a, Tensor b) { return b.Rdiv(a); }
  /// <summary>Remainder with the sign of the divisor, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator %(Tensor a, Tensor b) { return a.Remainder(b); }
  /// <summary>Remainder with the sign of the divisor, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator %(Tensor a, double b) { return a.Remainder(b); }
  /// <summary>Remainder with the sign of the divisor, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator %(Tensor a, long b) { return a.Remainder(b); }
  /// <summary>The negative, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  public static Tensor operator -(Tensor a) { return a.Neg(); }
  /// <summary>Whether a is less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <(Tensor a, Tensor b) { return a.Lt(b); }
  /// <summary>Whether a is less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <(Tensor a, double b) { return a.Lt(b); }
  /// <summary>Whether a is less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <(double a, Tensor b) { return b.Gt(a); }
  /// <summary>Whether a is less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <(Tensor a, long b) { return a.Lt(b); }
  /// <summary>Whether a is less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <(long a, Tensor b) { return b.Gt(a); }
  /// <summary>Whether a is greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >(Tensor a, Tensor b) { return a.Gt(b); }
  /// <summary>Whether a is greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >(Tensor a, double b) { return a.Gt(b); }
  /// <summary>Whether a is greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >(double a, Tensor b) { return b.Lt(a); }
  /// <summary>Whether a is greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >(Tensor a, long b) { return a.Gt(b); }
  /// <summary>Whether a is greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >(long a, Tensor b) { return b.Lt(a); }
  /// <summary>Whether a is not greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <=(Tensor a, Tensor b) { return a.Le(b); }
  /// <summary>Whether a is not greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <=(Tensor a, double b) { return a.Le(b); }
  /// <summary>Whether a is not greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <=(double a, Tensor b) { return b.Ge(a); }
  /// <summary>Whether a is not greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <=(Tensor a, long b) { return a.Le(b); }
  /// <summary>Whether a is not greater, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator <=(long a, Tensor b) { return b.Ge(a); }
  /// <summary>Whether a is not less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >=(Tensor a, Tensor b) { return a.Ge(b); }
  /// <summary>Whether a is not less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >=(Tensor a, double b) { return a.Ge(b); }
  /// <summary>Whether a is not less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >=(double a, Tensor b) { return b.Le(a); }
  /// <summary>Whether a is not less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >=(Tensor a, long b) { return a.Ge(b); }
  /// <summary>Whether a is not less, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator >=(long a, Tensor b) { return b.Le(a); }
  /// <summary>And, bit by bit, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator &(Tensor a, Tensor b) { return a.BitwiseAnd(b); }
  /// <summary>Or, bit by bit, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator |(Tensor a, Tensor b) { return a.BitwiseOr(b); }
  /// <summary>Exclusive or, bit by bit, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  /// <param name="b">a tensor or number</param>
  public static Tensor operator ^(Tensor a, Tensor b) { return a.BitwiseXor(b); }
  /// <summary>Not, bit by bit, element by element.</summary>
  /// <param name="a">a tensor or number</param>
  public static Tensor operator ~(Tensor a) { return a.BitwiseNot(); }
}
}
