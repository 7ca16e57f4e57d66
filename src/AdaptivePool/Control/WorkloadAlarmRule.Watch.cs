namespace AdaptivePool.Control;

internal sealed partial class WorkloadAlarmRule
{
    /// <summary>One signal: its level, its noise and correlation, and the sums of its deviations.</summary>
    /// <param name="reluctance">The limits of the sums, as a multiple of those of the other signals.</param>
    private sealed class Watch(double reluctance)
    {
        /// <summary>Number of windows that are only learned from, at least. It is higher when they are so correlated that they say little about the
        /// level.</summary>
        private const int WarmUp = 12;
        private const int LongestWarmUp = 36;
        private const double LeastIndependent = 4;

        /// <summary>The same when the noise is known from an earlier level.</summary>
        private const int WarmUpOfLevel = 6;

        /// <summary>Number of windows until a window teaches the model. A change must not teach the model that it is normal while it is being
        /// judged.</summary>
        private const int Delay = 8;

        /// <summary>Number of windows that the model remembers. Slower drift is followed, not reported.</summary>
        private const int Memory = 256;

        /// <summary>Number of windows for which the noise of an earlier level counts.</summary>
        private const int KeptNoise = 48;

        /// <summary>Score at which one window is cut off. It is less than the fast limit and reference together, so that a single hiccup never raises the
        /// alarm, and two windows in a row can.</summary>
        private const double Cut = 4.5;

        // Reference and limit of the two sums, in standard deviations. Siegmund's approximation gives one false alarm in 3e5 (fast) and 4e4 (slow) windows
        // for a known model. The values were found by simulation with a model that is learned meanwhile (correlation 0 to 0.9), where the margins below make
        // false alarms rarer. The fast sum finds 3.6 deviations in 3 windows, the slow one 2.4 in 5.
        private const double FastReference = 1.2;
        private const double FastLimit = 4.5;
        private const double SlowReference = 0.5;
        private const double SlowLimit = 10;

        /// <summary>Share of the limit at which learning stops.</summary>
        private const double Freeze = 0.5;

        /// <summary>Extra reference, over the root of the windows learned. The level is uncertain by that much, and a wrong level adds up.</summary>
        private const double LevelMargin = 0.5;

        /// <summary>
        /// The correlation is taken this many standard errors too high: too much whitening only blunts the rule, too little raises alarms. With 0.5 nearly
        /// all false alarms came from noise with a correlation over 0.6, most of them soon after a size was verified. From 1.5 on some changes are noticed
        /// too late (ADR 72).
        /// </summary>
        private const double CorrelationMargin = 1.25;
        private const double MostCorrelation = 0.95;

        // The last window that has taught the model, and the windows that have not taught it yet.
        private readonly List<double> _recent = new(Delay + 1);
        private double _mean;
        private double _variance;
        private double _covariance;

        // How far the signal strays, up or down: a deviation in one direction reduces the sum of the other direction.
        private double _fast;
        private double _slow;
        private int _levelWindows;
        private int _noiseWindows;

        // The estimate from a short series is too low by (1 + 4 rho) / n (Marriott and Pope 1954).
        private double Correlation =>
            _variance > 0 ? Math.Clamp((_covariance / _variance) + ((1 + (4 * _covariance / _variance)) / _noiseWindows), 0, MostCorrelation) : 0;

        // The level is known, and windows are judged by it.
        private bool IsJudging => _recent.Count > 1 || IsLearned();

        private double Strays => Math.Max(Math.Abs(_fast) / FastLimit, Math.Abs(_slow) / SlowLimit) / reluctance;

        public void Reset(bool keepNoise)
        {
            keepNoise &= IsJudging;
            _mean = 0;
            (_fast, _slow) = (0, 0);
            _levelWindows = 0;
            _noiseWindows = keepNoise ? Math.Min(_noiseWindows, KeptNoise) : 0;
            if (_noiseWindows == 0)
            {
                (_variance, _covariance) = (0, 0);
            }

            _recent.Clear();
        }

        /// <summary>Takes one window.</summary>
        /// <param name="value">Logarithm of the signal; not finite when not known.</param>
        /// <param name="floor">Least standard deviation that is believed.</param>
        /// <returns>Whether the signal has left its level. The caller then resets the watch.</returns>
        public bool Observe(double value, double floor)
        {
            if (!double.IsFinite(value))
            {
                return false;
            }

            if (!IsJudging)
            {
                Learn(value, _recent.Count > 0 ? _recent[0] : value);
                _recent.Clear();
                _recent.Add(value);
                return false;
            }

            double n = _noiseWindows;
            double correlation = Correlation;
            correlation = Math.Min(correlation + (CorrelationMargin * Math.Sqrt((1 - (correlation * correlation)) / n)), MostCorrelation);
            double expected = _mean + (correlation * (_recent[^1] - _mean));
            double error = value - expected;

            // Mean square of the residuals of exactly this whitening, from the sums that are kept; level, correlation and variance were estimated.
            double freedom = n - 3;
            double square = ((_variance * (1 + (correlation * correlation))) - (2 * correlation * _covariance)) * n / freedom;
            double deviation = Math.Sqrt(Math.Max(square, floor * floor) * (1 + (1.0 / _levelWindows)));
            double score = Score(error / deviation, freedom);
            double cut = Math.Clamp(score, -Cut, Cut);

            // The part that is cut off does not become the base of the next expectation either: a lasting jump stays unexpected, and a hiccup does not echo.
            double believed = cut.Equals(score) ? value : expected + (error * cut / score);
            Sum(cut);
            LearnLater(believed);
            return Strays > 1;
        }

        private bool IsLearned()
        {
            if (_noiseWindows > _levelWindows)
            {
                return _levelWindows >= WarmUpOfLevel;
            }

            double correlation = Correlation;
            return _levelWindows >= LongestWarmUp || (_levelWindows >= WarmUp && _levelWindows * (1 - correlation) / (1 + correlation) >= LeastIndependent);
        }

        // Wallace 1959: the normal deviate of the same probability as Student's t, good to some percent out to the tails used here.
        private static double Score(double t, double freedom) =>
            Math.Sign(t) * Math.Sqrt(freedom * Math.Log(1 + (t * t / freedom))) * ((8 * freedom) + 1) / ((8 * freedom) + 3);

        private void Sum(double score)
        {
            double margin = LevelMargin / Math.Sqrt(_levelWindows);
            _fast = Towards0(_fast + score, FastReference + margin);
            _slow = Towards0(_slow + score, SlowReference + margin);
        }

        private static double Towards0(double sum, double reference) => Math.CopySign(Math.Max(0, Math.Abs(sum) - reference), sum);

        private void LearnLater(double value)
        {
            if (_recent.Count > Delay)
            {
                // While the sums are high the oldest window is dropped and not learned.
                if (Strays < Freeze)
                {
                    Learn(_recent[1], _recent[0]);
                }

                _recent.RemoveAt(0);
            }

            _recent.Add(value);
        }

        private void Learn(double value, double previous)
        {
            _levelWindows = Math.Min(_levelWindows + 1, Memory);
            _noiseWindows = Math.Min(_noiseWindows + 1, Memory);
            double before = value - _mean;
            _mean += before / _levelWindows;
            if (_levelWindows == 1)
            {
                // The first window of a level is its own mean and says nothing about the noise.
                return;
            }

            double weight = 1.0 / _noiseWindows;
            _variance += weight * ((before * (value - _mean)) - _variance);
            _covariance += weight * (((value - _mean) * (previous - _mean)) - _covariance);
        }
    }
}
