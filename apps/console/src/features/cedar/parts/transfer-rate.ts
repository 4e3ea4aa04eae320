/** How many bytes had been sent at a moment. */
export interface Sample {
  at: number
  loaded: number
}

const windowMs = 5000

/** Adds a sample and drops those too old to reflect the current speed. */
export const withSample = (samples: readonly Sample[], sample: Sample): Sample[] =>
  [...samples, sample].filter(({ at }) => sample.at - at <= windowMs)

/** Bytes per second over the last five seconds; undefined until there is enough data. */
export function transferRate(samples: readonly Sample[]): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last) return undefined
  const seconds = (last.at - first.at) / 1000
  const bytes = last.loaded - first.loaded
  return seconds >= 0.5 && bytes > 0 ? bytes / seconds : undefined
}

export const secondsLeft = (rate: number, loaded: number, total: number) =>
  Math.max(1, Math.ceil((total - loaded) / rate))
