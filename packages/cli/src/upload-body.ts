import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'

interface UploadBody {
  fields: Record<string, string>
  fileName: string
  bytes: Uint8Array
  onProgress: (sent: number, total: number) => void
}

const chunkBytes = 64 * 1024

/** A `multipart/form-data` body that reports its progress. */
export function uploadBody({ fields, fileName, bytes, onProgress }: UploadBody) {
  const boundary = `grove-${randomUUID()}`
  const encoder = new TextEncoder()
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const name = fileName.replaceAll(/["\r\n\\]/g, '_')
  const head = encoder.encode(
    `${parts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/zip\r\n\r\n`,
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  async function* chunks() {
    yield head
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield bytes.subarray(at, at + chunkBytes)
      onProgress(Math.min(at + chunkBytes, bytes.length), bytes.length)
    }
    yield tail
  }
  return {
    stream: Readable.toWeb(Readable.from(chunks())) as ReadableStream<Uint8Array>,
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: head.length + bytes.length + tail.length,
  }
}
