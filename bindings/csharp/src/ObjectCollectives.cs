// Collectives of objects over a process group, by PyTorch's names.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Serialization;
using System.Xml;

namespace Haft {

/// <summary>Makes bytes of the objects of <see cref="ObjectCollectives"/> and reads them; that of an application may use
/// System.Text.Json, MessagePack or whatever it has.</summary>
public interface IObjectSerializer {
  /// <summary>The bytes of an object.</summary>
  /// <typeparam name="T">as all ranks name it</typeparam>
  /// <param name="value">may be null</param>
  byte[] Serialize<T>(T value);
  /// <summary>The object of some bytes.</summary>
  /// <typeparam name="T">as all ranks name it</typeparam>
  /// <param name="bytes">as Serialize has made them</param>
  T Deserialize<T>(byte[] bytes);
}

/// <summary>What System.Runtime.Serialization reads and writes: numbers, texts, times, enums, arrays, lists, dictionaries, tuples, classes
/// with public properties and a constructor without parameters, and those marked with DataContract or Serializable. It is part of every
/// runtime. Only the type that the reader asks for and those that it declares are made, whatever the bytes say.</summary>
public sealed class DataContractObjects : IObjectSerializer {
  internal static readonly DataContractObjects Instance = new DataContractObjects();
  /// <inheritdoc/>
  public byte[] Serialize<T>(T value) {
    using (var to = new MemoryStream()) {
      using (XmlDictionaryWriter writer = XmlDictionaryWriter.CreateBinaryWriter(to)) new DataContractSerializer(typeof(T)).WriteObject(writer, value);
      return to.ToArray();
    }
  }
  /// <inheritdoc/>
  public T Deserialize<T>(byte[] bytes) {
    using (XmlDictionaryReader reader = XmlDictionaryReader.CreateBinaryReader(bytes, XmlDictionaryReaderQuotas.Max))
      return (T)new DataContractSerializer(typeof(T)).ReadObject(reader);
  }
}

/// <summary>Collectives of objects: for settings, metrics and paths, not for tensors. All ranks are .NET programs, name the same type and use
/// the same serializer.</summary>
/// <example><code>
/// double[] losses = world.Objects().AllGatherObject(loss);
/// </code></example>
public sealed class ObjectCollectives {
  private readonly ProcessGroup group;
  private readonly IObjectSerializer serializer;
  internal ObjectCollectives(ProcessGroup group, IObjectSerializer serializer) {
    this.group = group;
    this.serializer = serializer;
  }

  /// <summary>An object of each rank's for all.</summary>
  /// <typeparam name="T">as all ranks name it</typeparam>
  /// <param name="value">this rank's; may be null</param>
  /// <returns>all ranks', by rank</returns>
  public T[] AllGatherObject<T>(T value) {
    using (Tensor mine = Bytes(value))
    using (var parts = new Parts(SizesOfAll(mine).Select(Room))) {
      group.AllGather(parts.Tensors, mine);
      return Read<T>(parts);
    }
  }
  /// <summary>An object of each rank's for one rank.</summary>
  /// <typeparam name="T">as all ranks name it</typeparam>
  /// <param name="value">this rank's; may be null</param>
  /// <param name="root">who gets them</param>
  /// <returns>for the root all ranks', by rank; empty on the others</returns>
  public T[] GatherObject<T>(T value, int root) {
    using (Tensor mine = Bytes(value)) {
      long[] sizes = SizesOfAll(mine);
      using (var parts = new Parts(group.Rank == root ? sizes.Select(Room) : new Tensor[0])) {
        group.Gather(parts.Tensors, mine, root);
        return Read<T>(parts);
      }
    }
  }
  /// <summary>The objects of one rank for all.</summary>
  /// <typeparam name="T">as all ranks name it</typeparam>
  /// <param name="values">of the root; of the others nobody looks at them</param>
  /// <param name="root">whose</param>
  /// <returns>the root's objects</returns>
  public T[] BroadcastObjectList<T>(IEnumerable<T> values, int root) {
    bool mine = group.Rank == root;
    using (Tensor given = mine ? Bytes(Listed(values)) : null)
    using (Tensor size = Tensor.Of(mine ? given.NumElements : 0L)) {
      group.Broadcast(size, root);
      using (Tensor came = mine ? null : Room(size.ItemLong())) {
        group.Broadcast(mine ? given : came, root);
        return Read<T[]>(mine ? given : came);
      }
    }
  }
  /// <summary>One object of one rank's for each rank.</summary>
  /// <typeparam name="T">as all ranks name it</typeparam>
  /// <param name="values">of the root: one for each rank; of the others nobody looks at them</param>
  /// <param name="root">whose</param>
  /// <returns>the one for this rank</returns>
  public T ScatterObjectList<T>(IEnumerable<T> values, int root) {
    T[] mine = group.Rank == root ? Listed(values) : new T[0];
    if (group.Rank == root && mine.Length != group.Size)
      throw new ArgumentException("Haft: ScatterObjectList wants one object for each of " + group.Size + " ranks, got " + mine.Length, "values");
    using (var given = new Parts(mine.Select(Bytes)))
    using (var sizes = new Parts(given.Tensors.Select(t => Tensor.Of(t.NumElements))))
    using (Tensor size = Tensor.Of(0L)) {
      group.Scatter(size, sizes.Tensors, root);
      using (Tensor came = Room(size.ItemLong())) {
        group.Scatter(came, given.Tensors, root);
        return Read<T>(came);
      }
    }
  }
  /// <summary>Sends objects to one rank, which calls RecvObjectList.</summary>
  /// <typeparam name="T">as the receiver names it</typeparam>
  /// <param name="values">any number</param>
  /// <param name="peer">to whom</param>
  public void SendObjectList<T>(IEnumerable<T> values, int peer) {
    using (Tensor mine = Bytes(Listed(values)))
    using (Tensor size = Tensor.Of(mine.NumElements)) {
      group.Send(size, peer);
      group.Send(mine, peer);
    }
  }
  /// <summary>Receives what SendObjectList sends. One thread of a rank at a time.</summary>
  /// <typeparam name="T">as the sender names it</typeparam>
  /// <param name="peer">from whom; <see cref="ProcessGroup.AnySource"/>: whoever is first</param>
  public T[] RecvObjectList<T>(int peer = ProcessGroup.AnySource) {
    int source;
    return RecvObjectList<T>(peer, out source);
  }
  /// <summary>Receives what SendObjectList sends. One thread of a rank at a time.</summary>
  /// <typeparam name="T">as the sender names it</typeparam>
  /// <param name="peer">from whom; <see cref="ProcessGroup.AnySource"/>: whoever is first</param>
  /// <param name="source">who has sent them</param>
  public T[] RecvObjectList<T>(int peer, out int source) {
    using (Tensor size = Tensor.Of(0L)) {
      source = group.Recv(size, peer);
      using (Tensor came = Room(size.ItemLong())) {
        group.Recv(came, source);
        return Read<T[]>(came);
      }
    }
  }

  private static T[] Listed<T>(IEnumerable<T> values) {
    if (values == null) throw new ArgumentNullException("values");
    return values.ToArray();
  }
  private long[] SizesOfAll(Tensor mine) {
    using (Tensor size = Tensor.Of(mine.NumElements))
    using (Tensor all = Tensor.From(new long[group.Size])) {
      group.AllGatherInto(all, size);
      return all.ToArray<long>();
    }
  }
  private static Tensor Room(long bytes) { return Tensor.Empty(new Dims(bytes), DType.UInt8, default(Device)); }
  private Tensor Bytes<T>(T value) { return Tensor.From(serializer.Serialize(value)); }
  private T Read<T>(Tensor from) { return serializer.Deserialize<T>(from.ToArray<byte>()); }
  private T[] Read<T>(Parts parts) { return parts.Tensors.Select(Read<T>).ToArray(); }

  // Tensors of bytes that go when the call is over.
  private sealed class Parts : IDisposable {
    internal readonly List<Tensor> Tensors = new List<Tensor>();
    internal Parts(IEnumerable<Tensor> made) {
      try {
        foreach (Tensor t in made) Tensors.Add(t);
      } catch {
        Dispose();
        throw;
      }
    }
    public void Dispose() {
      foreach (Tensor t in Tensors) t.Dispose();
    }
  }
}
}
