import type { FastifyInstance } from 'fastify'
import { WebSocketServer } from 'ws'
import {
  maxReaderMessageLength,
  readerSocketPath,
  type ToReader,
} from '@grove/contract/maple/card/reader.rules'
import { acceptUpgrades } from '../../../../core/http/socket-upgrades.ts'
import type { CallContext } from '../../base/context.ts'
import type { CardContext } from '../context.ts'
import { connectionLimits, readerConnection } from './reader-connection.ts'
import type { ConnectedReader } from './reader-hub.ts'
import {
  deleteReader,
  findByKey,
  setAway,
  setCard,
  setConnected,
  touchReaders,
} from './reader.queries.ts'
import { hashOf } from './reader.service.ts'

/** Connections of one process. */
const maxConnections = 2000
const touchMs = 15_000

/** Accepts the connections of readers' programs, each with the key of its reader. */
export function acceptReaders(
  app: FastifyInstance,
  context: Pick<CardContext & CallContext, 'db' | 'readers' | 'config' | 'sessions' | 'settings'>,
): void {
  const { db, readers: hub, config, sessions, settings } = context
  const limits = { ...connectionLimits, replyMs: settings.cardReplyMs }
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxReaderMessageLength,
    perMessageDeflate: false,
  })

  function connect(socket: Parameters<typeof readerConnection>[0], id: string) {
    const at = { id, processId: hub.processId }
    const welcome: ToReader = { type: 'welcome', id }
    const reader: ConnectedReader = readerConnection(
      socket,
      {
        onHello: async (place) => {
          // Other processes send sessions here from now on.
          await sessions.appear()
          await setConnected(db, { ...at, ...place })
          hub.add(id, reader)
          socket.send(JSON.stringify(welcome))
        },
        onCard: (card) => setCard(db, { ...at, ...card }),
        onLeave: async () => {
          await deleteReader(db, id)
          reader.drop('it left for good')
        },
        onEnd: (reason) => {
          app.log.info({ reader: id, reason }, 'A card reader was disconnected')
          if (hub.remove(id, reader))
            setAway(db, at).catch((error: Error) =>
              app.log.warn(
                { reader: id, reason: error.message },
                'A card reader could not be marked as away',
              ),
            )
        },
      },
      limits,
    )
  }

  /** One that was removed, or connected to another process, loses its connection here. */
  async function touch() {
    const ids = [...hub.live.keys()]
    if (ids.length === 0) return
    const left = new Set(await touchReaders(db, { ids, processId: hub.processId }))
    for (const id of ids) if (!left.has(id)) hub.drop(id, 'it is not ours any more')
  }

  const timer = setInterval(() => {
    touch().catch((error: Error) =>
      app.log.warn({ reason: error.message }, 'Card readers could not be marked as connected'),
    )
  }, touchMs)
  timer.unref()
  const isLost = (subject: string) => hub.live.has(subject.replace(/^reader:/, ''))
  const stop = app.revocations.on(({ kind, subject }) => {
    if (kind === 'grant' && isLost(subject)) touch().catch(() => {})
  })
  acceptUpgrades(app, {
    path: readerSocketPath,
    config,
    async accept({ request, socket, head, refuse }) {
      if (server.clients.size >= maxConnections) return refuse(503)
      const key = /^Bearer ([\w-]{43})$/.exec(request.headers.authorization ?? '')?.[1]
      const found = key === undefined ? undefined : await findByKey(db, hashOf(key))
      if (!found) return refuse(401)
      server.handleUpgrade(request, socket, head, (opened) => connect(opened, found.id))
    },
  })
  app.addHook('preClose', async () => {
    clearInterval(timer)
    stop()
    for (const reader of hub.live.values()) reader.drop('the server stops')
    server.close()
  })
}
