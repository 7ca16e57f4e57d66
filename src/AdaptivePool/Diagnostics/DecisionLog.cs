using System.Collections.Concurrent;
using System.Threading.Channels;
using Microsoft.Win32.SafeHandles;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// Writes decisions to a file, one JSON object a line, on a thread of its own. <see cref="Write"/> never blocks and never throws: what comes faster than it can
/// be written is dropped, counted, and marked in the file. The thread sleeps for good while nothing comes.
/// </summary>
internal sealed class DecisionLog : IDisposable
{
    private const int Capacity = 4_096;

    /// <summary>
    /// Full paths of the files that logs of this process write. Unix gives one file to two writers, and the second would empty it under the first.
    /// </summary>
    private static readonly ConcurrentDictionary<string, DecisionLog> s_written = new(StringComparer.Ordinal);

    // Whose warning this thread is telling: a handler that disposes the owner of the log must not wait for itself.
    [ThreadStatic]
    private static DecisionLog? t_telling;

    private readonly Channel<DecisionLogEntry> _entries;
    private readonly ManualResetEventSlim _ended = new();
    private readonly string _path;
    private readonly DecisionLogHeader _header;
    private readonly Action<string>? _warn;
    private long _dropped;
    private long _marked;

    /// <summary>Starts a log. An existing file is replaced, unless another log writes it, of this process or of another one.</summary>
    /// <param name="path">Path of the file.</param>
    /// <param name="header">The first line.</param>
    /// <param name="warn">
    /// Told once, on the writing thread or here where that is refused, when the file cannot be written; then everything is dropped. Must not throw.
    /// </param>
    /// <param name="capacity">Entries that may wait to be written; 1 or more, default 4,096.</param>
    /// <param name="threads">Where its thread comes from; <see langword="null"/> for the system.</param>
    public DecisionLog(string path, DecisionLogHeader header, Action<string>? warn = null, int capacity = Capacity, ThreadSource? threads = null)
    {
        _path = path;
        _header = header;
        _warn = warn;

        // Synchronous, so that whoever writes wakes the thread, and not the runtime's pool, which may be what is overloaded.
        _entries = Channel.CreateBounded<DecisionLogEntry>(
            new BoundedChannelOptions(capacity) { SingleReader = true, AllowSynchronousContinuations = true });

        // Whoever has a log goes on without it: it is asked for in the middle of other work, and would be again and again.
        if (!(threads ?? ThreadSource.System).TryStart(Run, "decision log", stackSize: 0, out Exception? failure))
        {
            Stop(failure);
        }
    }

    /// <summary>How long <see cref="Dispose"/> waits at most.</summary>
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

    /// <summary>Writes what waits, at most for some seconds, and closes the file. What comes later is dropped.</summary>
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

        // Nobody reads any more: writers find the channel closed and count.
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

            // Devices and pipes have none. Windows lets nobody else change a file that is open.
            bool hasLength = !OperatingSystem.IsWindows() && stream.CanSeek && stream.Length > 0;
            string? opened = OpenedPath(stream);
            while (_entries.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
            {
                // Unix goes on writing to a file that was deleted or moved, as tools that rotate logs do: nobody can read it, and it fills the disk. One that
                // was emptied would begin with a hole, and without its first line no line can be replayed.
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

    // That of what a link leads to: a link has a length of its own, and is there while its file is not.
    private static long LengthAt(string file) => ((FileInfo)(File.ResolveLinkTarget(file, returnFinalTarget: true) ?? new FileInfo(file))).Length;

    // Where Linux has the open file now: it tells a file of the same length from the one that stood there before. Null where no system tells.
    private static string? OpenedPath(FileStream stream) =>
        OperatingSystem.IsLinux() ? new FileInfo($"/proc/self/fd/{stream.SafeFileHandle.DangerousGetHandle()}").LinkTarget : null;

    /// <summary>Opens the file, and empties it once it is known that no other log writes it.</summary>
    private static FileStream Open(string file)
    {
        // Held until the file is open: a reader for whom the last writer has gone ends.
        using SafeFileHandle? reached = UnreadPipe.Refuse(file);
        var stream = new FileStream(file, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read);

        // Windows keeps a second writer out by itself. Elsewhere FileShare keeps out nobody who shares, and this lock no reader.
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
