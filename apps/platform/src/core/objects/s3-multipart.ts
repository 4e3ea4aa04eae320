import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { S3Error, readText, unavailable, type FilePart, type SendS3 } from './s3-request.ts'
import { textOf, textsOf } from './s3-xml.ts'

// S3 requires parts of at least 5 MiB, except for the last one.
export const partBytes = 8 * 1024 * 1024
const abandonedMs = 24 * 60 * 60_000

/** Stores a large file in parts, reusing parts left by an earlier attempt at the same object. */
export async function putInParts(send: SendS3, name: string, path: string, bytes: number) {
  try {
    await tryInParts(send, name, path, bytes)
  } catch (error) {
    // Another upload of the same object has completed the one that both continued.
    if (!(error instanceof S3Error) || error.s3Code !== 'NoSuchUpload') throw error
    await tryInParts(send, name, path, bytes)
  }
}

async function tryInParts(send: SendS3, name: string, path: string, bytes: number): Promise<void> {
  const known = (await listUploads(send, name)).find((upload) => upload.name === name)
  const uploadId = known?.uploadId ?? (await begin(send, name))
  const there = known ? await listParts(send, name, uploadId) : new Map<number, string>()
  const tags: string[] = []
  for (let start = 0; start < bytes; start += partBytes) {
    const number = tags.length + 1
    const { part, md5 } = await hashPart(path, start, Math.min(partBytes, bytes - start))
    // Its tag is the MD5 of the part, unless the service has a reason to hide it.
    if (there.get(number) !== `"${md5}"`)
      there.set(number, await putPart(send, name, { partNumber: String(number), uploadId }, part))
    tags.push(there.get(number) ?? '')
  }
  await complete(send, name, uploadId, tags)
}

async function begin(send: SendS3, name: string): Promise<string> {
  const xml = await readText(await send({ method: 'POST', name, query: { uploads: '' } }))
  return textOf(xml, 'UploadId') ?? fail('no upload id')
}

async function putPart(
  send: SendS3,
  name: string,
  query: Record<string, string>,
  body: FilePart,
): Promise<string> {
  const answer = await send({ method: 'PUT', name, query, body })
  answer.resume()
  return answer.headers.etag ?? fail('no tag of a part')
}

async function complete(send: SendS3, name: string, uploadId: string, tags: string[]) {
  const parts = tags.map((tag, index) => {
    const text = tag.replaceAll('"', '&quot;')
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${text}</ETag></Part>`
  })
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  const xml = await readText(await send({ method: 'POST', name, query: { uploadId }, body }))
  // The status was sent before the parts were assembled.
  if (textOf(xml, 'Code') !== undefined) fail(textOf(xml, 'Code'))
}

async function listParts(send: SendS3, name: string, uploadId: string) {
  const xml = await readText(await send({ method: 'GET', name, query: { uploadId } }))
  return new Map(
    textsOf(xml, 'Part').map((part) => [
      Number(textOf(part, 'PartNumber')),
      textOf(part, 'ETag') ?? '',
    ]),
  )
}

interface Unfinished {
  /** Includes the store's prefix. */
  name: string
  uploadId: string
  startedAt: number
}

/** Unfinished uploads of names with this prefix. */
async function listUploads(send: SendS3, prefix: string): Promise<Unfinished[]> {
  const query = { uploads: '', prefix }
  const xml = await readText(await send({ method: 'GET', query }))
  return textsOf(xml, 'Upload').map((upload) => ({
    name: textOf(upload, 'Key') ?? '',
    uploadId: textOf(upload, 'UploadId') ?? '',
    startedAt: Date.parse(textOf(upload, 'Initiated') ?? ''),
  }))
}

/** Aborts uploads that have not progressed for a day: their parts take up space and are invisible. */
export async function sweepUploads(send: SendS3, prefix: string, now: number): Promise<void> {
  for (const { name, uploadId, startedAt } of await listUploads(send, prefix))
    if (startedAt < now - abandonedMs) {
      const answer = await send({ method: 'DELETE', name, query: { uploadId } })
      answer.resume()
    }
}

async function hashPart(path: string, start: number, bytes: number) {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  const chunks = createReadStream(path, { start, end: start + bytes - 1 })
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    sha256.update(chunk)
    md5.update(chunk)
  }
  const part: FilePart = { path, start, bytes, sha256: sha256.digest('hex') }
  return { part, md5: md5.digest('hex') }
}

function fail(reason: string | undefined): never {
  throw unavailable(new Error(`an upload in parts failed (${reason})`))
}
