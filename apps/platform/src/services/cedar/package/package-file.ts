import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { RandomAccessReader } from 'yauzl'

/**
 * A package on disk, possibly still being written. Reads are synchronous: they come from the page
 * cache, where an asynchronous call costs more than the bytes, and run in a separate thread.
 */
export interface PackageFile {
  /** The bytes available so far. */
  size: () => number
  /** Fills the buffer from that position; returns the number of bytes read. */
  read: (buffer: Buffer, position: number) => number
  /** Waits until the file has this many bytes; false if it ends earlier. */
  until: (end: number) => Promise<boolean>
  close: () => void
}

/** Notifies the readers of a file that is being written. */
export interface GrowingFile extends PackageFile {
  grow: (size: number) => void
  /** The file is complete. */
  end: () => void
}

export function openPackageFile(path: string): PackageFile {
  const fd = openSync(path, 'r')
  const { size } = fstatSync(fd)
  return { ...reading(fd), size: () => size, until: async (end) => end <= size }
}

export function openGrowingFile(path: string): GrowingFile {
  const fd = openSync(path, 'r')
  let size = 0
  let isEnded = false
  let wake = () => {}
  const isWaiting = (end: number) => size < end && !isEnded
  return {
    ...reading(fd),
    size: () => size,
    until: async (end) => {
      while (isWaiting(end)) await new Promise<void>((resolve) => (wake = resolve))
      return size >= end
    },
    grow: (bytes) => {
      size = bytes
      wake()
    },
    end: () => {
      isEnded = true
      wake()
    },
  }
}

const reading = (fd: number) => ({
  read: (buffer: Buffer, position: number) => readSync(fd, buffer, 0, buffer.length, position),
  close: () => closeSync(fd),
})

const chunkBytes = 256 * 1024

/**
 * The bytes of a range, chunk by chunk, as they arrive. Each chunk is overwritten by the next one.
 * @throws if the file ends earlier.
 */
export async function* readRange(
  file: PackageFile,
  start: number,
  length: number,
): AsyncGenerator<Buffer, void> {
  const end = start + length
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, length))
  for (let at = start; at < end; at += chunkBytes) {
    const chunk = buffer.subarray(0, end - at)
    if (!(await file.until(at + chunk.length)) || file.read(chunk, at) !== chunk.length)
      throw new Error('The package ends in the middle of a file.')
    yield chunk
  }
}

/** yauzl's access to a package. Its own reader uses the thread pool for every header. */
export class PackageReader extends RandomAccessReader {
  readonly file: PackageFile

  constructor(file: PackageFile) {
    super()
    this.file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let error: Error | null = null
    try {
      const read = this.file.read(buffer.subarray(offset, offset + length), position)
      if (read !== length) error = new Error('unexpected EOF')
    } catch (failure) {
      error = failure as Error
    }
    process.nextTick(callback, error)
  }
}
