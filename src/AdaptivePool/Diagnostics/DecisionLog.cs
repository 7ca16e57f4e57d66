using System.Threading.Channels;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// Writes decisions to a file, one JSON object a line, on a thread of its own. <see cref="Write"/> never blocks and never throws: what comes faster than it can
/// be written is dropped, counted, and marked in the file. The thread sleeps for good while nothing comes.
/// </summary>
internal sealed class DecisionLog : IDecisionSink, IDisposable
{
    private const int Capacity = 4_096;
    private static readonly TimeSpan s_closePatience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Full paths of the files that logs of this process write. Unix gives one file to two writers, and the second would empty it under the first.
    /// </summary>
    private static readonly HashSet<string> s_written = new(StringComparer.Ordinal);

    private readonly Channel<DecisionLogEntry> _entries;
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly Thread _thread;
    private readonly string _path;
    private readonly DecisionLogHeader _header;
    private readonly Action<string> _warn;
    private long _dropped;
    private long _marked;
    private bool _closing;

    /// <summary>Starts a log. An existing file is replaced, unless another log of this process writes it.</summary>
    /// <param name="path">Path of the file.</param>
    /// <param name="header">The first line.</param>
    /// <param name="warn">Told once, on the writing thread, when the file cannot be written; then everything is dropped.</param>
    /// <param name="capacity">Entries that may wait to be written; 1 or more, default 4,096.</param>
    public DecisionLog(string path, DecisionLogHeader header, Action<string>? warn = null, int capacity = Capacity)
    {
        _path = path;
        _header = header;
        _warn = warn ?? (static _ => { });
        _entries = Channel.CreateBounded<DecisionLogEntry>(new BoundedChannelOptions(capacity) { SingleReader = true });
        _thread = new Thread(Run) { IsBackground = true, Name = "decision log" };
        _thread.UnsafeStart();
    }

    /// <summary>Entries that were not written.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <inheritdoc/>
    public void Write(DecisionLogEntry entry)
    {
        if (!_entries.Writer.TryWrite(entry))
        {
            Interlocked.Increment(ref _dropped);
            return;
        }

        _wake.Set();
    }

    /// <summary>Writes what waits, at most for some seconds, and closes the file. What comes later is dropped.</summary>
    public void Dispose()
    {
        _entries.Writer.TryComplete();
        Volatile.Write(ref _closing, true);

        // Publishes the flag: pairs with the wait in Run. Without it the thread would sleep on with the file open.
        _wake.Set();
        _thread.Join(s_closePatience);
    }

    private void Run()
    {
        StreamWriter? writer = null;
        string? claimed = null;
        try
        {
            claimed = Claim(_path);
            writer = new StreamWriter(new FileStream(_path, FileMode.Create, FileAccess.Write, FileShare.Read)) { NewLine = "\n" };
            writer.WriteLine(_header.ToJson());
            WriteEntries(writer);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            Warn($"The decision log '{_path}' cannot be written and ends here: {exception.Message}");
        }
        finally
        {
            Close(writer);
            Release(claimed);
        }

        DropTheRest();
    }

    private static string Claim(string path)
    {
        string file = Path.GetFullPath(path);
        lock (s_written)
        {
            return s_written.Add(file)
                ? file
                : throw new IOException(
                    $"Another pool or gate of this process writes it; each needs a {nameof(AdaptivePoolOptions.DecisionLogFile)} of its own.");
        }
    }

    private static void Release(string? claimed)
    {
        if (claimed is not null)
        {
            lock (s_written)
            {
                s_written.Remove(claimed);
            }
        }
    }

    private void WriteEntries(StreamWriter writer)
    {
        while (true)
        {
            // Looked at before the queue: what was queued before closing is written.
            bool last = Volatile.Read(ref _closing);
            while (_entries.Reader.TryRead(out DecisionLogEntry? entry))
            {
                writer.WriteLine(entry.ToJson());
                Mark(writer, entry.At);
            }

            writer.Flush();
            if (last)
            {
                return;
            }

            _wake.WaitOne();
        }
    }

    private void Warn(string message)
    {
        try
        {
            _warn(message);
        }
        catch (Exception)
        {
            // Whoever is told has no one left to tell; the thread has to close the file.
        }
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

    private void Close(StreamWriter? writer)
    {
        try
        {
            writer?.Dispose();
        }
        catch (IOException)
        {
            // A full disk was reported when it was met; closing meets it again.
        }
    }

    private void DropTheRest()
    {
        // Nobody reads any more: writers find the channel closed and count.
        _entries.Writer.TryComplete();
        while (_entries.Reader.TryRead(out _))
        {
            Interlocked.Increment(ref _dropped);
        }
    }
}
