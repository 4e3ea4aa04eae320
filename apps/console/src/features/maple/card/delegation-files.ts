import { maxTokenLength, maxTokens } from '@grove/contract/maple/card/applet-operation.rules'

/** A command, and the token that someone generated for it. */
export interface CommandToken {
  command: string
  token: string
}

/**
 * The file format in which the owner of a domain and the holder of the token key exchange commands
 * and tokens.
 */
export const tokensFormat = 'grove-tokens'
export const commandsFormat = 'grove-commands'

const isHex = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxTokenLength && /^([0-9A-Fa-f]{2})+$/.test(value)

const parsed = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const isToken = (value: unknown): value is CommandToken =>
  typeof value === 'object' &&
  value !== null &&
  'command' in value &&
  'token' in value &&
  isHex(value.command) &&
  isHex(value.token)

/** The tokens in a file; undefined if it is not a token file. */
export function readTokens(text: string): CommandToken[] | undefined {
  const { format, tokens } = parsed(text) ?? {}
  if (format !== tokensFormat || !Array.isArray(tokens)) return undefined
  const found: unknown[] = tokens
  const isWhole = found.length > 0 && found.length <= maxTokens && found.every(isToken)
  return isWhole ? found.map(({ command, token }) => ({ command, token })) : undefined
}

/** The commands in a file that requests tokens, and the element; undefined if it is not such a file. */
export function readCommands(text: string): { cplc: string; commands: string[] } | undefined {
  const { format, cplc, commands } = parsed(text) ?? {}
  if (format !== commandsFormat || typeof cplc !== 'string' || !Array.isArray(commands))
    return undefined
  const found: unknown[] = commands
  const isWhole = found.length > 0 && found.length <= maxTokens && found.every(isHex)
  return isWhole ? { cplc, commands: found } : undefined
}
