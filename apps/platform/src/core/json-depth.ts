/** More than anything that people, programs and devices agree on needs; a stack ends at some thousands. */
export const deepestJson = 32

/** JSON from outside that is nested too deep. */
export class DeepJsonError extends SyntaxError {
  override readonly name = 'DeepJsonError'
}

/**
 * JSON from outside. What only asks whether a text is JSON may take too deep a one for none.
 * @throws DeepJsonError; SyntaxError when it is no JSON.
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

/** Read before the text is parsed: most that walks over a value needs a frame of the stack a level. */
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
