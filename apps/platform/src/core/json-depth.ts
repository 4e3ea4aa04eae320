/** More than people, programs and devices need; the stack overflows at some thousands. */
export const deepestJson = 32

/** JSON from outside that is nested too deeply. */
export class DeepJsonError extends SyntaxError {
  override readonly name = 'DeepJsonError'
}

/**
 * Parses JSON from outside. A mere validity check may treat a DeepJsonError as invalid.
 * @throws DeepJsonError; SyntaxError if it is not JSON.
 */
export function readJson(
  text: string,
  deepest = deepestJson,
  revive?: (key: string, value: unknown) => unknown,
): unknown {
  if (isDeepJson(text, deepest))
    throw new DeepJsonError(`The JSON has more than ${deepest} levels of arrays and objects.`)
  return JSON.parse(text, revive)
}

/** Checked before parsing: most code that walks a value needs a stack frame per level. */
export function isDeepJson(text: string, deepest = deepestJson): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (isQuoted) {
      if (character === backslash) at++
      else if (character === quote) isQuoted = false
    } else if (character === quote) isQuoted = true
    else if (character === bracket || character === brace) {
      if (++depth > deepest) return true
    } else if (character === bracket + 2 || character === brace + 2) depth--
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const bracket = 0x5b
const brace = 0x7b
