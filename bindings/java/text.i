// Numbers, enums and text.
%typemap(jni) std::string, const std::string& "jstring"
%typemap(jtype) std::string, const std::string& "String"
%typemap(jstype) std::string, const std::string& "String"
%typemap(javain) std::string, const std::string& "$javainput"
%typemap(javaout) std::string, const std::string& { return $jnicall; }
%typemap(in) const std::string& (std::string text) %{
  if (!$input) {
    haft::java::throw_argument(jenv, "$1_name is null");
    return $null;
  }
  text = haft::java::utf8(jenv, $input);
  $1 = &text;
%}
%typemap(out) std::string %{ $result = haft::java::text(jenv, $1); %}
%typemap(out) const std::string& %{ $result = haft::java::text(jenv, *$1); %}
%typemap(freearg) const std::string& ""

%typemap(jstype) haft_dtype "DType"
%typemap(jtype) haft_dtype "int"
%typemap(jni) haft_dtype "jint"
%typemap(in) haft_dtype "$1 = $input;"
%typemap(out) haft_dtype "$result = $1;"
%typemap(javain) haft_dtype "DType.code($javainput)"
%typemap(javaout) haft_dtype { return DType.of($jnicall); }

%typemap(jstype) haft_device "Device"
%typemap(jtype) haft_device "int"
%typemap(jni) haft_device "jint"
%typemap(in) haft_device "$1 = $input;"
%typemap(out) haft_device "$result = $1;"
%typemap(javain) haft_device "Device.code($javainput)"
%typemap(javaout) haft_device { return Device.of($jnicall); }

%typemap(jstype) std::int32_t precision, std::int32_t math_precision "MathPrecision"
%typemap(javain) std::int32_t precision "$javainput.code()"
%typemap(javaout) std::int32_t math_precision { return MathPrecision.of($jnicall); }

%typemap(jstype) std::int32_t determinism, std::int32_t deterministic "Determinism"
%typemap(javain) std::int32_t determinism "$javainput.code()"
%typemap(javaout) std::int32_t deterministic { return Determinism.of($jnicall); }

%typemap(jstype) int64_t reduction "Reduction"
%typemap(javain) int64_t reduction "$javainput.code()"

%typemap(jni) const haft::IntArray&, const std::vector<std::int64_t>&, std::vector<std::int64_t> "jlongArray"
%typemap(jtype) const haft::IntArray&, const std::vector<std::int64_t>&, std::vector<std::int64_t> "long[]"
%typemap(jstype) const haft::IntArray&, const std::vector<std::int64_t>&, std::vector<std::int64_t> "long[]"
%typemap(javain) const haft::IntArray&, const std::vector<std::int64_t>& %{java.util.Objects.requireNonNull($javainput, "$javainput is null")%}
%typemap(javaout) std::vector<std::int64_t> { return $jnicall; }
%typemap(in) const haft::IntArray& (haft::java::Numbers numbers) %{
  numbers.read(jenv, $input);
  $1 = &numbers.array;
%}
%typemap(in) const std::vector<std::int64_t>& (std::vector<std::int64_t> numbers) %{
  numbers.resize($input ? jenv->GetArrayLength($input) : 0);
  if (!numbers.empty()) jenv->GetLongArrayRegion($input, 0, numbers.size(), reinterpret_cast<jlong*>(numbers.data()));
  $1 = &numbers;
%}
%typemap(out) std::vector<std::int64_t> %{ $result = haft::java::longs(jenv, static_cast<std::vector<std::int64_t>&&>($1)); %}

%typemap(jni) const std::vector<double>& "jdoubleArray"
%typemap(jtype) const std::vector<double>& "double[]"
%typemap(jstype) const std::vector<double>& "double[]"
%typemap(javain) const std::vector<double>& "$javainput"
%typemap(in) const std::vector<double>& (std::vector<double> numbers) %{
  numbers.resize($input ? jenv->GetArrayLength($input) : 0);
  if (!numbers.empty()) jenv->GetDoubleArrayRegion($input, 0, numbers.size(), numbers.data());
  $1 = &numbers;
%}
