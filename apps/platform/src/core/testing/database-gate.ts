import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface DatabaseGate {
  /** The database's URL through the gate. */
  url: string
  /** Closes all connections and accepts no more, like a server that stops. */
  stop: () => Promise<void>
  /** Accepts connections again, on the same port. */
  start: () => Promise<void>
}

/** A TCP gate in front of one database: it can be closed and opened while the server keeps running. */
export async function openDatabaseGate(databaseUrl: string): Promise<DatabaseGate> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const behind = connect(Number(target.port), target.hostname)
    for (const [end, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(end)
      end.pipe(other)
      end.on('error', () => other.destroy())
      end.on('close', () => {
        sockets.delete(end)
        other.destroy()
      })
    }
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port) }).href,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    start: () => listen(port),
  }
}
