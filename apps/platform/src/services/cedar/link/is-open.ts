import type { FastifyRequest } from 'fastify'

// Programs that draw a preview of a link in a chat, and those that search the web.
const robots = /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|embedly/i

/** Whether a request is somebody who opens a link, and no program that looks at it beforehand. */
export function isOpen({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-moz'] ?? ''
  return (
    method === 'GET' &&
    !/prefetch|preview/i.test(String(purpose)) &&
    !robots.test(headers['user-agent'] ?? '')
  )
}
