import type { FastifyRequest } from 'fastify'

// Link preview bots of chats, and web crawlers.
const robots = /bot\b|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|embedly/i

/** Whether a request is a person opening a link, not a bot. */
export function isOpen({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-moz'] ?? ''
  return (
    method === 'GET' &&
    !/prefetch|preview/i.test(String(purpose)) &&
    !robots.test(headers['user-agent'] ?? '')
  )
}
