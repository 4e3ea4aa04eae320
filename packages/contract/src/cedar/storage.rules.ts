const MB = 1024 * 1024

export interface ImageLimits {
  bytes: number
  /** Pixels. */
  leastSide: number
  maxSide: number
  /** Long side divided by short side. */
  maxRatio: number
}

/** Play accepts icons of 512², Tiki of 1024². */
export const iconLimits: ImageLimits = { bytes: MB, leastSide: 512, maxSide: 1024, maxRatio: 1 }

/** Play's limits, but its ratio of 2 would refuse phones such as 1290 × 2796. */
export const screenshotLimits: ImageLimits = {
  bytes: 8 * MB,
  leastSide: 320,
  maxSide: 3840,
  maxRatio: 2.3,
}

/** Screenshots of a version in one locale. */
export const maxScreenshots = 8

/** A size in whole megabytes, as messages show it. */
export const megabytes = (bytes: number): number => bytes / MB
