// Stores and process groups: bytes and lists of texts, each with its length first.
%typemap(ctype) haft::bindings::Bytes, const haft::bindings::Bytes & "void *"
%typemap(imtype, out="global::System.IntPtr") haft::bindings::Bytes, const haft::bindings::Bytes & "byte[]"
%typemap(cstype) haft::bindings::Bytes, const haft::bindings::Bytes & "byte[]"
%typemap(csin) const haft::bindings::Bytes & "ByteBlock.Of($csinput)"
%typemap(in) const haft::bindings::Bytes & (haft::bindings::Bytes held) %{ held.bytes = haft::csharp::ByteBlock($input).next(); $1 = &held; %}
%typemap(out, null="0") haft::bindings::Bytes %{ $result = haft::csharp::give_bytes(std::move((&$1)->bytes)); %}
%typemap(csout, excode=SWIGEXCODE) haft::bindings::Bytes {
    global::System.IntPtr ret = $imcall;$excode
    return ByteBlock.Read(ret);
  }
%typemap(ctype) const std::vector<std::string> & "void *"
%typemap(imtype) const std::vector<std::string> & "byte[]"
%typemap(cstype) const std::vector<std::string> & "global::System.Collections.Generic.IEnumerable<string>"
%typemap(csin) const std::vector<std::string> & "ByteBlock.Of($csinput)"
%typemap(in) const std::vector<std::string> & (std::vector<std::string> texts) %{ texts = haft::csharp::ByteBlock($input).all(); $1 = &texts; %}

%typemap(ctype) haft::ReduceOp "int"
%typemap(imtype) haft::ReduceOp "int"
%typemap(cstype) haft::ReduceOp "ReduceOp"
%typemap(csin) haft::ReduceOp "(int)$csinput"
%typemap(in) haft::ReduceOp %{ $1 = static_cast<haft::ReduceOp>($input); %}
%ignore haft::ReduceOp;

// A work keeps its group from being collected, which would end it.
%typemap(csout, excode=SWIGEXCODE) haft::Work {
    global::System.IntPtr ret = $imcall;$excode
    return Work.Of(this, ret);
  }

%rename(Abort) haft::ProcessGroup::kill;
HAFT_HIDDEN(haft::ProcessGroup::rank, GetRank)
HAFT_HIDDEN(haft::ProcessGroup::size, GetSize)
HAFT_HIDDEN(haft::ProcessGroup::barrier, BarrierFor)
HAFT_HIDDEN(haft::ProcessGroup::barrier_async, BarrierForAsync)
HAFT_HIDDEN(haft::Work::is_done, GetIsDone)
HAFT_HIDDEN(haft::Work::source, GetSource)
HAFT_HIDDEN(haft::Store::port, GetPort)
%ignore haft::Store::open;
%ignore haft::Store::open_with_secret;
%ignore haft::Store::wait;
%ignore haft::Work::wait;
%ignore haft::rendezvous;
%ignore haft::Rendezvous;
HAFT_INTERNAL(haft::bindings::store_set)
HAFT_INTERNAL(haft::bindings::store_compare_set)
HAFT_INTERNAL(haft::bindings::store_compare_exchange)
HAFT_INTERNAL(haft::bindings::store_lease)
HAFT_INTERNAL(haft::bindings::store_await)
HAFT_INTERNAL(haft::bindings::store_await_all)
HAFT_INTERNAL(haft::bindings::make_store)
HAFT_INTERNAL(haft::bindings::make_group)
HAFT_INTERNAL(haft::bindings::make_subgroup)
HAFT_INTERNAL(haft::bindings::make_split)
HAFT_INTERNAL(haft::bindings::group_numbers)
HAFT_INTERNAL(haft::bindings::group_engine)
HAFT_INTERNAL(haft::bindings::group_name)
HAFT_INTERNAL(haft::bindings::launch_numbers)
HAFT_INTERNAL(haft::bindings::launch_texts)
HAFT_INTERNAL(haft::bindings::work_await)
HAFT_INTERNAL(haft::bindings::work_on_done)
%rename(DistributedDataParallel) haft::DataParallel;
HAFT_HIDDEN(haft::DataParallel::set_sync, SetSyncNative)
HAFT_HIDDEN(haft::DataParallel::sync, GetSync)
HAFT_HIDDEN(haft::DataParallel::join_begin, JoinBegin)
HAFT_HIDDEN(haft::DataParallel::join_end, JoinEnd)
HAFT_INTERNAL(haft::bindings::make_data_parallel)
HAFT_INTERNAL(haft::bindings::make_data_parallel_over)
HAFT_INTERNAL(haft::bindings::data_parallel_numbers)
HAFT_INTERNAL(haft::bindings::data_parallel_compress)
HAFT_INTERNAL(haft::bindings::data_parallel_hook)
HAFT_INTERNAL(haft::bindings::make_averager)
HAFT_INTERNAL(haft::bindings::shard_optimizer)
HAFT_INTERNAL(haft::bindings::consolidate_optimizer)
HAFT_INTERNAL(haft::bindings::clip_optimizer)
HAFT_INTERNAL(haft::bindings::shard_numbers)
