import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export interface ReceivedMail {
  from: string
  to: string[]
  /** Header and body as they came, without the dots that end it. */
  data: string
}

export interface SmtpServer {
  url: string
  mails: ReceivedMail[]
  /** Every line that a client sent outside of a mail. */
  commands: string[]
  /** `defer` answers each recipient 451, `drop` hangs up, `stall` never says a word. */
  behaviour: 'take' | 'defer' | 'drop' | 'stall'
  /** Takes no connections until `start`. */
  stop: () => Promise<void>
  start: () => Promise<void>
}

/** A mail server of RFC 5321 in so far as a mail needs it, on a port of its own. */
export async function startSmtpServer(host = '127.0.0.1'): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  let listener: Server | undefined
  let port = 0
  const server: SmtpServer = {
    url: '',
    mails: [],
    commands: [],
    behaviour: 'take',
    start: async () => {
      const started = createServer((socket) => {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        socket.on('error', () => {})
        if (server.behaviour === 'drop') socket.destroy()
        else if (server.behaviour !== 'stall') talk(server, socket)
      })
      await new Promise<void>((resolve, reject) => {
        started.once('error', reject)
        started.listen(port, host, resolve)
      })
      port = (started.address() as AddressInfo).port
      listener = started
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => {
        if (listener) listener.close(resolve)
        else resolve(undefined)
      })
    },
  }
  await server.start()
  server.url = `smtp://${host}:${port}`
  return server
}

function talk(server: SmtpServer, socket: Socket): void {
  let mail: ReceivedMail = { from: '', to: [], data: '' }
  let isData = false
  let rest = ''
  const say = (line: string) => socket.write(`${line}\r\n`)
  const path = (line: string) => /<(.*)>/.exec(line)?.[1] ?? ''

  const answer = (line: string) => {
    server.commands.push(line)
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO' || verb === 'HELO') say('250 test')
    else if (verb === 'MAIL') {
      mail = { from: path(line), to: [], data: '' }
      say('250 ok')
    } else if (verb === 'RCPT' && server.behaviour === 'defer')
      say(`451 4.7.1 <${path(line)}> is not welcome now`)
    else if (verb === 'RCPT') {
      mail.to.push(path(line))
      say('250 ok')
    } else if (verb === 'DATA') {
      isData = true
      say('354 go on')
    } else if (verb === 'QUIT') socket.end('221 bye\r\n')
    else if (verb === 'RSET') say('250 ok')
    else say('502 not here')
  }

  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    rest += chunk
    for (;;) {
      const end = isData ? '\r\n.\r\n' : '\r\n'
      const at = rest.indexOf(end)
      if (at < 0) return
      const part = rest.slice(0, at)
      rest = rest.slice(at + end.length)
      if (isData) {
        isData = false
        server.mails.push({ ...mail, data: part.replaceAll('\r\n..', '\r\n.') })
        say('250 taken')
      } else answer(part)
    }
  })
  say('220 test ESMTP')
}
