/** The part of the browser's `BarcodeDetector` that we use: not all browsers have it. */
export interface Detector {
  detect: (source: HTMLVideoElement) => Promise<readonly { rawValue: string }[]>
}

declare global {
  // oxlint-disable-next-line no-var -- a global of the browser
  var BarcodeDetector: (new () => Detector) | undefined
}

/** Whether this browser can read codes from a camera. */
export const canScan = (): boolean =>
  globalThis.BarcodeDetector !== undefined && navigator.mediaDevices !== undefined

/** The first code that the camera sees, or undefined once `signal` is aborted. */
export async function firstCode(
  detector: Detector,
  video: HTMLVideoElement,
  signal: AbortSignal,
  nextLook: () => Promise<void>,
): Promise<string | undefined> {
  while (!signal.aborted) {
    // A frame that is not ready cannot be read, but a later one can.
    const codes = await detector.detect(video).catch(() => [])
    const found = codes.find(({ rawValue }) => rawValue !== '')
    if (found && !signal.aborted) return found.rawValue
    await nextLook()
  }
  return undefined
}
