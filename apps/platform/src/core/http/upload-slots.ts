import type { FastifyReply, FastifyRequest } from 'fastify'
import { ProblemError } from './problem.ts'

export interface UploadLimits {
  /** Concurrent uploads in this process. */
  most: number
  perAccount: number
}

/** Holds a slot for an upload until its response is sent or its sender has left. */
export type HoldUploadSlot = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Limits concurrent uploads: each holds a file on disk and, while it is checked or decoded, memory.
 * Refused before any of the body is read.
 */
export function uploadSlots(limits: UploadLimits): HoldUploadSlot {
  const byAccount = new Map<string, number>()
  let running = 0
  return ({ accessToken }, reply) => {
    const account = accessToken?.userId ?? ''
    const own = byAccount.get(account) ?? 0
    if (own >= limits.perAccount)
      throw busy(`You are already uploading ${own} files. Wait until one has finished.`)
    if (running >= limits.most)
      throw busy(`The service takes ${limits.most} uploads at once. Try again in a few seconds.`)
    running += 1
    byAccount.set(account, own + 1)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      running -= 1
      const left = (byAccount.get(account) ?? 1) - 1
      if (left > 0) byAccount.set(account, left)
      else byAccount.delete(account)
    }
    reply.raw.once('finish', release)
    reply.raw.once('close', release)
  }
}

const busy = (detail: string) => new ProblemError('too_many_uploads', detail, { retryAfter: 5 })
