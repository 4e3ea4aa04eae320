import { isHex } from '../script/script-step.ts'

/** The tools whose traces can be read; `other` uses arrows, in a form common to several tools. */
export const traceTools = ['gp', 'gpshell', 'opensc', 'pcsc', 'pysim', 'pcap', 'other'] as const
export type TraceTool = (typeof traceTools)[number]

/** One exchange of another tool's trace, in hex. */
export interface ReadExchange {
  /** The line of the command, counted from 1; in a file of packets the number of the packet. */
  line: number
  command: string
  /** Including its status word; undefined if none follows. */
  reply?: string
  /** Milliseconds since 1970, if the trace has times. */
  at?: number
}

export interface ReadTrace {
  tool: TraceTool
  exchanges: ReadExchange[]
}

interface Form {
  tool: TraceTool
  command: RegExp
  reply: RegExp
  /** The reply is in the lines below. */
  isBelow?: boolean
}

/**
 * Lines of gp (apdu4j), GPShell, opensc-tool and OpenSC's log, pcscd, pySim, scriptor, Grove's own
 * export, and of tools that use arrows. The first matching form reads a line.
 */
const forms: readonly Form[] = [
  {
    tool: 'gp',
    command: /\bA>>\s+(?:T=\d\s+)?\([\d+]+\)\s+([\dA-F][\dA-F ]*)/i,
    reply: /\bA<<\s+\([\d+]+\)\s+(?:\([\da-z]+\)\s+)?([\dA-F][\dA-F ]*)/i,
  },
  {
    tool: 'gpshell',
    // The plain command; its wrapped form follows on another line.
    command: /^\s*Command\s+-->\s*([\dA-F ]+)$/i,
    reply: /^\s*(?:Unwrapped )?response\s+<--\s*([\dA-F ]+)$/i,
  },
  {
    tool: 'opensc',
    command: /^.*\bSending:\s*([\dA-F: ]+)$/i,
    reply: /\bReceived \(SW1=0x/i,
    isBelow: true,
  },
  {
    tool: 'opensc',
    command: /\bOutgoing APDU\b.*:\s*$/i,
    reply: /\bIncoming APDU\b.*:\s*$/i,
    isBelow: true,
  },
  { tool: 'pcsc', command: /\bAPDU:\s*([\dA-F ]+)$/i, reply: /\bSW:\s*([\dA-F ]+)$/i },
  {
    tool: 'pysim',
    command: /^\s*->\s*([\dA-F]{8}[\dA-F ]*)$/i,
    reply: /^\s*<-\s*([\dA-F]{4}):\s*([\dA-F]*)$/i,
  },
  {
    tool: 'other',
    command: /^(?:.*\s)?(?:>|>>|->|-->|=>|==>|C-APDU:?|SEND:?)\s*((?:[\dA-F]{2}[ :]?){4,})$/i,
    reply: /^(?:.*\s)?(?:<|<<|<-|<--|<=|<==|R-APDU:?|RECV:?)\s*((?:[\dA-F]{2}[ :]?){2,})(?::.*)?$/i,
  },
]

/** The wrapped form of a command that is shown in plain form above. */
const repeated = /^\s*Wrapped command\s+-->/i

const packed = (text: string) => text.replaceAll(/[\s:]/g, '').toUpperCase()

/** The bytes in a line of a dump, without the characters that may follow. */
const dumped = (line: string): string =>
  packed(/^\s*((?:[\dA-F]{2}(?:\s|$)){1,16})/i.exec(line)?.[1] ?? '')

const isCommand = (hex: string) => hex.length >= 8 && isHex(hex)
const isReply = (hex: string) => hex.length >= 4 && isHex(hex)

/** The maximum length of a text, in characters. */
export const maxTraceLength = 5_000_000

/**
 * Parses a pasted trace of another tool; undefined if the text has no command in a known form.
 * Commands without a reply, and protected ones, are read unchanged.
 */
export function readTrace(text: string): ReadTrace | undefined {
  const exchanges: ReadExchange[] = []
  const found = new Set<TraceTool>()
  const lines = text.slice(0, maxTraceLength).split(/\r?\n/)
  let open: ReadExchange | undefined
  /** What the lines below belong to. */
  let below: 'command' | 'reply' | undefined
  let statusWord = ''
  const endBelow = () => {
    if (below === 'reply' && open) {
      open.reply = (open.reply ?? '') + statusWord
      if (!isReply(open.reply)) delete open.reply
    }
    below = undefined
    statusWord = ''
  }
  const begin = (line: number, command: string) => {
    open = { line, command }
    exchanges.push(open)
  }
  for (const [index, source] of lines.entries()) {
    const line = source.trimEnd()
    if (repeated.test(line)) continue
    const form = forms.find(({ command, reply }) => command.test(line) || reply.test(line))
    if (!form) {
      const bytes = below ? dumped(line) : ''
      if (bytes === '') endBelow()
      else if (below === 'command' && open) open.command += bytes
      else if (below === 'reply' && open) open.reply = (open.reply ?? '') + bytes
      continue
    }
    endBelow()
    const sent = form.command.exec(line)
    if (sent) {
      const command = packed(sent[1] ?? '')
      if (sent[1] === undefined) {
        begin(index + 1, '')
        below = 'command'
      } else if (isCommand(command)) begin(index + 1, command)
      else open = undefined
      found.add(form.tool)
      continue
    }
    const [, first = '', second = ''] = form.reply.exec(line) ?? []
    if (!open) continue
    if (form.isBelow) {
      below = 'reply'
      const words = /SW1=0x([\dA-F]{2}), SW2=0x([\dA-F]{2})/i.exec(line)
      statusWord = words ? packed(`${words[1]}${words[2]}`) : ''
      continue
    }
    // pySim prints the status word first.
    const reply = packed(form.tool === 'pysim' ? second + first : first)
    if (isReply(reply)) open.reply = reply
  }
  endBelow()
  const read = exchanges.filter(({ command }) => isCommand(command))
  const [tool] = found
  return read.length === 0 || tool === undefined ? undefined : { tool, exchanges: read }
}
