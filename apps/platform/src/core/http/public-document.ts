import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { accepts } from './compress.ts'

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }
// Compressing the document of all calls takes 60 ms in another thread and shrinks it to a fortieth;
// the best level takes seconds.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** A response that is the same for everyone: built once, and shared by all connections. */
export interface PublicDocument {
  plain: Buffer
  br: Buffer
  gzip: Buffer
  etag: string
}

export async function publicDocument(plain: Buffer): Promise<PublicDocument> {
  const [br, gzipped] = await Promise.all([compressors.br(plain, quality), compressors.gzip(plain)])
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  // Weak, since one tag covers every encoding.
  return { plain, br, gzip: gzipped, etag: `W/"${hash}"` }
}

/** Sends it in an accepted encoding, or 304 if the client already has it. */
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { etag, ...codings }: PublicDocument,
): FastifyReply {
  reply.header('etag', etag).header('vary', 'accept-encoding').header('cache-control', 'no-cache')
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
  for (const coding of ['br', 'gzip'] as const)
    if (accepts(headers['accept-encoding'] ?? '', coding))
      return reply.header('content-encoding', coding).send(codings[coding])
  return reply.send(codings.plain)
}

/** RFC 9110 §13.1.2: any tag of the list, compared weakly. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || `W/${tag}` === etag)
