import type { FastifyInstance, FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { ProblemError } from '../http/problem.ts'
import type { Platform } from '../platform.ts'
import { deriveSecret, readSecret } from '../secret.ts'
import { writeBackup } from './write-backup.ts'

export const backupPath = '/backup'
export const backupToken = (secret: string): string => deriveSecret(secret, 'backup')

/**
 * Serves the backup command on this machine what it cannot reach itself: the embedded database
 * belongs to one process. Its token is derived from the platform's secret.
 */
export function installBackup(app: FastifyInstance, platform: Platform): void {
  app.get(backupPath, { schema: { hide: true } }, async (request, reply) => {
    const token = Buffer.from(`Bearer ${backupToken(await readSecret(platform.config))}`)
    const given = Buffer.from(request.headers.authorization ?? '')
    const isRight = given.length === token.length && timingSafeEqual(given, token)
    if (!isRight || !isOwn(request)) throw new ProblemError('not_found', 'There is nothing here.')
    return reply
      .type('application/octet-stream')
      .header('cache-control', 'no-store')
      .send(writeBackup(platform))
  })
}

const isOwn = ({ socket, headers }: FastifyRequest): boolean =>
  /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '') &&
  headers['x-forwarded-for'] === undefined &&
  headers['forwarded'] === undefined
