import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body as received, without the terminating dots. */
  data: string
}

export interface SmtpServer {
  url: string
  mails: ReceivedMail[]
  /** Every line that a client sent outside a mail. */
  commands: string[]
  /** `defer` answers each recipient with 451, `drop` hangs up, `stall` never responds. */
  behaviour: 'take' | 'defer' | 'drop' | 'stall'
  /** Accepts no connections until `start`. */
  stop: () => Promise<void>
  start: () => Promise<void>
}

/** A mail server without passwords and encryption, on its own port. */
export async function startSmtpServer(host = '127.0.0.1'): Promise<SmtpServer> {
  let port = 0
  let listening: SMTPServer | undefined
  const server: SmtpServer = {
    url: '',
    mails: [],
    commands: [],
    behaviour: 'take',
    start: async () => {
      listening = createServer(server)
      await once(listening.listen(port, host), 'listening')
      port = (listening.server.address() as AddressInfo).port
    },
    stop: () => new Promise((resolve) => listening?.close(resolve)),
  }
  await server.start()
  server.url = `smtp://${host}:${port}`
  return server
}

function createServer(server: SmtpServer): SMTPServer {
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    logger: {
      ...silent,
      debug: ({ tnx }: { tnx: string }, _format: string, line: string) => {
        if (tnx === 'command') server.commands.push(line)
      },
    },
    onConnect: (_session, done) => {
      if (server.behaviour !== 'stall') done()
    },
    onRcptTo: ({ address }, _session, done) =>
      done(
        server.behaviour === 'defer'
          ? Object.assign(new Error(`4.7.1 <${address}> is not welcome now`), { responseCode: 451 })
          : null,
      ),
    onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
      const mail = {
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
      }
      let data = ''
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => (data += text))
      stream.once('end', () => {
        server.mails.push({ ...mail, data })
        done()
      })
    },
  })
  smtp.server.prependListener('connection', (socket) => {
    if (server.behaviour === 'drop') socket.destroy()
  })
  smtp.on('error', () => {})
  return smtp
}

const ignore = () => {}
const silent = {
  level: ignore,
  trace: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}
