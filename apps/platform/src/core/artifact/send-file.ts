import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends a file; clients that ignore `filename*` save it as `unnamed`. */
export const sendFile = (
  reply: FastifyReply,
  { fileName, unnamed, stream }: { fileName: string; unnamed: string; stream: Readable },
) =>
  reply
    .type('application/octet-stream')
    .header(
      'content-disposition',
      `attachment; filename="${unnamed}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    )
    .send(stream)
