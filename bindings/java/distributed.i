// Stores and process groups: bytes and lists of texts; blocking calls that an interruption ends.
%typemap(jni) haft::bindings::Bytes, const haft::bindings::Bytes& "jbyteArray"
%typemap(jtype) haft::bindings::Bytes, const haft::bindings::Bytes& "byte[]"
%typemap(jstype) haft::bindings::Bytes, const haft::bindings::Bytes& "byte[]"
%typemap(javain) const haft::bindings::Bytes& %{java.util.Objects.requireNonNull($javainput, "$javainput is null")%}
%typemap(javaout) haft::bindings::Bytes { return $jnicall; }
%typemap(in) const haft::bindings::Bytes& (haft::bindings::Bytes held) %{
  held.bytes.resize(static_cast<std::size_t>(jenv->GetArrayLength($input)));
  if (!held.bytes.empty()) jenv->GetByteArrayRegion($input, 0, static_cast<jsize>(held.bytes.size()), reinterpret_cast<jbyte*>(&held.bytes[0]));
  $1 = &held;
%}
%typemap(out) haft::bindings::Bytes %{
  {
    const std::string& held = (&$1)->bytes;
    $result = jenv->NewByteArray(static_cast<jsize>(held.size()));
    if ($result) jenv->SetByteArrayRegion($result, 0, static_cast<jsize>(held.size()), reinterpret_cast<const jbyte*>(held.data()));
  }
%}

%typemap(jni) const std::vector<std::string>& "jobjectArray"
%typemap(jtype) const std::vector<std::string>& "String[]"
%typemap(jstype) const std::vector<std::string>& "String[]"
%typemap(javain) const std::vector<std::string>& %{java.util.Objects.requireNonNull($javainput, "$javainput is null")%}
%typemap(in) const std::vector<std::string>& (std::vector<std::string> all) %{
  if (!haft::java::texts(jenv, $input, "$1_name", all)) return $null;
  $1 = &all;
%}

%typemap(jni) haft::ReduceOp "jint"
%typemap(jtype) haft::ReduceOp "int"
%typemap(jstype) haft::ReduceOp "ReduceOp"
%typemap(javain) haft::ReduceOp "ReduceOp.code($javainput)"
%typemap(in) haft::ReduceOp "$1 = static_cast<haft::ReduceOp>($input);"
%ignore haft::ReduceOp;

// A work keeps its group from being collected, which would end it.
%typemap(javaout) haft::Work { return Work.adopt($jnicall, this); }

%define BLOCKING(NAME)
%typemap(javaout) void haft::ProcessGroup::NAME {
    ProcessGroup.run(this, () -> {
      $jnicall;
      return null;
    });
  }
%enddef
BLOCKING(broadcast)
BLOCKING(all_reduce)
BLOCKING(reduce)
BLOCKING(all_gather)
BLOCKING(all_gather_into)
BLOCKING(gather)
BLOCKING(scatter)
BLOCKING(reduce_scatter)
BLOCKING(reduce_scatter_from)
BLOCKING(all_to_all)
BLOCKING(all_to_all_single)
BLOCKING(barrier)
BLOCKING(send)
%typemap(javaout) int haft::ProcessGroup::recv { return ProcessGroup.run(this, () -> $jnicall); }

%rename(abort) haft::ProcessGroup::kill;
%rename(barrierFor) haft::ProcessGroup::barrier;
%rename(barrierForAsync) haft::ProcessGroup::barrier_async;
%javamethodmodifiers haft::ProcessGroup::barrier "/* of the package */";
%javamethodmodifiers haft::ProcessGroup::barrier_async "/* of the package */";
%ignore haft::Store::open;
%ignore haft::Store::open_with_secret;
%ignore haft::Store::wait;
%ignore haft::Work::wait;
%ignore haft::rendezvous;
%ignore haft::Rendezvous;
%define HIDDEN_FOR_GROUPS(NAME)
%javamethodmodifiers haft::bindings::NAME "/* of the package */";
%enddef
HIDDEN_FOR_GROUPS(store_set)
HIDDEN_FOR_GROUPS(store_compare_set)
HIDDEN_FOR_GROUPS(store_compare_exchange)
HIDDEN_FOR_GROUPS(store_lease)
HIDDEN_FOR_GROUPS(store_await)
HIDDEN_FOR_GROUPS(store_await_all)
HIDDEN_FOR_GROUPS(make_store)
HIDDEN_FOR_GROUPS(make_group)
HIDDEN_FOR_GROUPS(make_subgroup)
HIDDEN_FOR_GROUPS(make_split)
HIDDEN_FOR_GROUPS(group_numbers)
HIDDEN_FOR_GROUPS(group_engine)
HIDDEN_FOR_GROUPS(group_name)
HIDDEN_FOR_GROUPS(launch_numbers)
HIDDEN_FOR_GROUPS(launch_texts)
HIDDEN_FOR_GROUPS(work_await)
HIDDEN_FOR_GROUPS(make_data_parallel)
HIDDEN_FOR_GROUPS(make_data_parallel_over)
HIDDEN_FOR_GROUPS(data_parallel_numbers)
HIDDEN_FOR_GROUPS(data_parallel_compress)
HIDDEN_FOR_GROUPS(make_averager)
HIDDEN_FOR_GROUPS(shard_optimizer)
HIDDEN_FOR_GROUPS(consolidate_optimizer)
HIDDEN_FOR_GROUPS(clip_optimizer)
HIDDEN_FOR_GROUPS(shard_numbers)
%javamethodmodifiers haft::DataParallel::set_sync "/* of the package */";
%rename(isSync) haft::DataParallel::sync;
%javamethodmodifiers haft::DataParallel::join_begin "/* of the package */";
%javamethodmodifiers haft::DataParallel::join_end "/* of the package */";
