import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span in OTLP's JSON format, with its sender. */
export interface CollectedSpan {
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Record<string, unknown>
}

type Value = Record<string, unknown>
interface Named {
  key: string
  value: Value
}
interface Batch {
  resourceSpans: {
    resource: { attributes: Named[] }
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Named[] })[] }[]
  }[]
}

const plain = (attributes: Named[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Receives traces by OTLP over HTTP, and keeps them. */
export async function startCollector() {
  const spans: CollectedSpan[] = []
  let raw = ''
  const server = createServer((request, response) => {
    const take = async () => {
      const body = await text(request)
      raw += body
      const { resourceSpans } = JSON.parse(body) as Batch
      for (const { resource, scopeSpans } of resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            ...span,
            service: String(plain(resource.attributes)['service.name']),
            attributes: plain(span.attributes),
          })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }
    void take()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Everything received, unparsed. */
    raw: () => raw,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
