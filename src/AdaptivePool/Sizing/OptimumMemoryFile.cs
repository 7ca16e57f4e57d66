using System.Text.Json;
using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// Keeps the memory of optima in a file. Reads once, on the sizing thread; writes on a thread of its own, at most every few seconds and at the end, by replacing the file as a whole. Never throws: the first
/// trouble is told, then the pool goes on without the file.
/// </summary>
internal sealed class OptimumMemoryFile : IDisposable
{
    /// <summary>64 records are 30 KB; whoever names a larger file named the wrong one.</summary>
    private const long LongestFile = 4 * 1024 * 1024;
    private static readonly TimeSpan s_pace = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_closePatience = TimeSpan.FromSeconds(5);

    private readonly string _path;
    private readonly OptimumMemory _memory;
    private readonly Action<string> _warn;
    private readonly TimeSpan _writePace;
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly ManualResetEvent _closing = new(initialState: false);
    private Thread? _writer;
    private IReadOnlyList<OptimumRecord>? _toWrite;
    private long _savedVersion;
    private bool _loaded;
    private bool _isForeign;
    private int _warned;

    /// <param name="path">Path of the file.</param>
    /// <param name="memory">What to keep; read by the thread that calls the methods, never by the writing thread.</param>
    /// <param name="warn">Told once.</param>
    /// <param name="pace">Shortest time between two writes; default 5 s.</param>
    public OptimumMemoryFile(string path, OptimumMemory memory, Action<string> warn, TimeSpan? pace = null)
    {
        _path = path;
        _memory = memory;
        _warn = warn;
        _writePace = pace ?? s_pace;
    }

    /// <summary>Fills the memory from the file, the first time it is called. A file that does not exist yet is no trouble; one that cannot be understood is never written over.</summary>
    public void Load()
    {
        if (_loaded)
        {
            return;
        }

        _loaded = true;
        try
        {
            if (File.Exists(_path))
            {
                if (new FileInfo(_path).Length > LongestFile)
                {
                    throw new JsonException($"it is longer than {LongestFile} bytes");
                }

                foreach (OptimumRecord record in OptimumMemoryDocument.Read(File.ReadAllBytes(_path)))
                {
                    _memory.Remember(record.ClassName, record.Profile, record.Size, record.ThroughputPerSecond, record.IsDemandLimited);
                }
            }
        }
        catch (Exception exception) when (IsExpected(exception))
        {
            // It may be a newer version's, or not ours at all: whoever named it must look, and nothing is written over it.
            _isForeign = true;
            Warn("read", exception);
        }

        _savedVersion = _memory.Version;
    }

    /// <summary>Hands what has changed to the writing thread. Returns at once.</summary>
    public void SaveIfChanged()
    {
        if (_memory.Version == _savedVersion || !_loaded || _isForeign)
        {
            return;
        }

        _savedVersion = _memory.Version;

        // Pairs with the exchange in Write: the newest list wins, and none is written twice.
        Interlocked.Exchange(ref _toWrite, _memory.ToList());
        if (_writer is null)
        {
            _writer = new Thread(Run) { IsBackground = true, Name = "memory of optima" };
            _writer.UnsafeStart();
        }

        _wake.Set();
    }

    /// <summary>Writes what has changed, at most for some seconds.</summary>
    public void Dispose()
    {
        SaveIfChanged();
        _closing.Set();
        _writer?.Join(s_closePatience);
    }

    private void Run()
    {
        WaitHandle[] both = [_closing, _wake];
        while (WaitHandle.WaitAny(both) != 0)
        {
            Write();
            if (_closing.WaitOne(_writePace))
            {
                break;
            }
        }

        Write();
    }

    private void Write()
    {
        // Pairs with the exchange in SaveIfChanged.
        if (Interlocked.Exchange(ref _toWrite, null) is not { } records)
        {
            return;
        }

        string temporary = _path + ".new";
        try
        {
            // Written aside, flushed to the disk, renamed over: a crash leaves the old file or the new one, never half of one.
            using (var file = new FileStream(temporary, FileMode.Create, FileAccess.Write, FileShare.None))
            {
                file.Write(OptimumMemoryDocument.Write(records));
                file.Flush(flushToDisk: true);
            }

            File.Move(temporary, _path, overwrite: true);
        }
        catch (Exception exception) when (IsExpected(exception))
        {
            Warn("written", exception);
        }
    }

    private void Warn(string what, Exception exception)
    {
        // One warning, whichever thread is first.
        if (Interlocked.Exchange(ref _warned, 1) == 0)
        {
            _warn($"The memory file '{_path}' cannot be {what} and is ignored: {exception.Message}");
        }
    }

    private static bool IsExpected(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or JsonException or NotSupportedException or ArgumentException or System.Security.SecurityException;
}
