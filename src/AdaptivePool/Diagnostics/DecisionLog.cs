using System.Collections.Concurrent;
using System.Threading.Channels;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// Writes decisions to a file, one JSON object a line, on a thread of its own. <see cref="Write"/> never blocks and never throws. Entries that come faster
/// than they can be written are dropped, counted, and marked in the file. The thread sleeps until an entry comes.
/// </summary>
internal sealed class DecisionLog : IDisposable
{
    private const int Capacity = 4_096;

    /// <summary>
    /// Full paths of the files that logs of this process write. Unix lets two writers open one file, and the second would empty it while the first writes.
    /// </summary>
    private static readonly ConcurrentDictionary<string, DecisionLog> s_written = new(StringComparer.Ordinal);

    // The log whose warning this thread is reporting. A handler that disposes the owner of the log must not wait for itself.
    [ThreadStatic]
    private static DecisionLog? t_telling;

    private readonly Channel<DecisionLogEntry> _entries;
    private readonly ManualResetEventSlim _ended = new();
    private readonly string _path;
    private readonly DecisionLogHeader _header;
    private readonly Action<string>? _warn;
    private long _dropped;
    private long _marked;

    /// <summary>Starts a log. An existing file is replaced, unless another log of this process or of another process writes it.</summary>
    /// <param name="path">Path of the file.</param>
    /// <param name="header">The first line.</param>
    /// <param name="warn">
    /// Called once when the file cannot be written, on the writing thread, or on this thread if the writing thread is refused. Then all entries are dropped.
    /// Must not throw.
    /// </param>
    /// <param name="capacity">Entries that may wait to be written; 1 or more, default 4,096.</param>
    /// <param name="threads">The source of its thread; <see langword="null"/> for the system.</param>
    public DecisionLog(string path, DecisionLogHeader header, Action<string>? warn = null, int capacity = Capacity, ThreadSource? threads = null)
    {
        _path = path;
        _header = header;
        _warn = warn;

        // Synchronous, so that the thread that writes an entry wakes the log's thread. The runtime's pool is not used, because it may be the one that is
        // overloaded.
        _entries = Channel.CreateBounded<DecisionLogEntry>(
            new BoundedChannelOptions(capacity) { SingleReader = true, AllowSynchronousContinuations = true });

        // The owner of the log continues without it: the log is created in the middle of other work, and an exception would come again and again.
        if (!(threads ?? ThreadSource.System).TryStart(Run, "decision log", stackSize: 0, out Exception? failure))
        {
            Stop(failure);
        }
    }

    /// <summary>The longest time that <see cref="Dispose"/> waits.</summary>
    public TimeSpan ClosePatience { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Entries that were not written.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <summary>Takes one entry.</summary>
    public void Write(DecisionLogEntry entry)
    {
        if (!_entries.Writer.TryWrite(entry))
        {
            Interlocked.Increment(ref _dropped);
        }
    }

    /// <summary>Writes the waiting entries, at most for some seconds, and closes the file. Later entries are dropped.</summary>
    public void Dispose()
    {
        _entries.Writer.TryComplete();
        if (t_telling != this)
        {
            _ended.Wait(ClosePatience);
        }
    }

    private void Run()
    {
        Exception? failure = null;
        try
        {
            WriteFile(Path.GetFullPath(_path));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            failure = exception;
        }

        Stop(failure);
    }

    private void Stop(Exception? failure)
    {
        if (failure is not null)
        {
            t_telling = this;
            _warn?.Invoke($"The decision log '{_path}' cannot be written and stops here: {failure.Message}");
            t_telling = null;
        }

        // No thread reads the channel any more: writers find it closed and count.
        _entries.Writer.TryComplete();
        while (_entries.Reader.TryRead(out _))
        {
            Interlocked.Increment(ref _dropped);
        }

        _ended.Set();
    }

    private void WriteFile(string file)
    {
        if (!s_written.TryAdd(file, this))
        {
            throw new IOException(
                $"Another pool or gate of this process writes it; each needs a {nameof(AdaptivePoolOptions.DecisionLogFile)} of its own.");
        }

        try
        {
            FileStream stream = Open(file);
            using var writer = new StreamWriter(stream) { NewLine = "\n" };
            writer.WriteLine(_header.ToJson());
            writer.Flush();

            // Devices and pipes have no length. Windows lets no other process change a file that is open.
            bool hasLength = !OperatingSystem.IsWindows() && stream.CanSeek && stream.Length > 0;
            string? opened = OpenedPath(stream);
            while (_entries.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
            {
                // Unix continues to write to a file that was deleted or moved, for example by a tool that rotates logs. No reader can find such a file, and
                // it fills the disk. A file that was emptied would begin with a hole, and without its first line no line can be replayed.
                if (hasLength && (LengthAt(file) != stream.Position || OpenedPath(stream) != opened))
                {
                    throw new IOException("The file was replaced or changed by others.");
                }

                while (_entries.Reader.TryRead(out DecisionLogEntry? entry))
                {
                    writer.WriteLine(entry.ToJson());
                    Mark(writer, entry.At);
                }

                writer.Flush();
            }
        }
        finally
        {
            s_written.TryRemove(file, out _);
        }
    }

    // The length of the file that a link leads to: a link has a length of its own, and exists even when its file does not.
    private static long LengthAt(string file) => ((FileInfo)(File.ResolveLinkTarget(file, returnFinalTarget: true) ?? new FileInfo(file))).Length;

    // The path of the open file on Linux. It tells a file of the same length from the one that was there before. Null where the system does not provide it.
    private static string? OpenedPath(FileStream stream) =>
        OperatingSystem.IsLinux() ? new FileInfo($"/proc/self/fd/{stream.SafeFileHandle.DangerousGetHandle()}").LinkTarget : null;

    /// <summary>Opens the file, and empties it once no other log is known to write it.</summary>
    private static FileStream Open(string file)
    {
        // Held until the file is open: the reader of a pipe ends when its last writer closes it.
        using SafeFileHandle? reached = UnreadPipe.Refuse(file);
        var stream = new FileStream(file, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read);

        // Windows refuses a second writer by itself. On other systems FileShare refuses no process that shares the file, and this lock refuses no reader.
        if (!FileLock.TryTake(stream.SafeFileHandle))
        {
            stream.Dispose();
            throw new IOException($"Another pool, gate or process writes it; each needs a {nameof(AdaptivePoolOptions.DecisionLogFile)} of its own.");
        }

        if (stream.CanSeek && stream.Length > 0)
        {
            stream.SetLength(0);
        }

        return stream;
    }

    private void Mark(StreamWriter writer, TimeSpan at)
    {
        long dropped = Dropped;
        if (dropped > _marked)
        {
            writer.WriteLine(new DecisionLogEntry { Kind = DecisionLogKind.Dropped, At = at, ClassName = "", Count = dropped - _marked }.ToJson());
            _marked = dropped;
        }
    }
}
