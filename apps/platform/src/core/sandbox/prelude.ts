/**
 * The layer between a program and the platform. It runs first and keeps references to the functions
 * that it uses, so that a program that replaces them deceives only itself.
 */
export const preludeOf = ({
  maxLineLength,
  maxTextLength,
}: Record<'maxLineLength' | 'maxTextLength', number>) => `
(function (hostCall, hostLog, names, input) {
  'use strict'
  const { parse, stringify } = JSON
  const { apply, defineProperty } = Reflect
  const { slice } = String.prototype
  const { join, map } = Array.prototype
  const ErrorType = Error
  const RangeErrorType = RangeError
  const textOf = String
  const has = Object.hasOwn
  const { keys } = Object
  const set = (object, name, value) =>
    defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  const cut = (text, length) =>
    text.length > length ? apply(slice, text, [0, length]) + '…' : text
  const show = (value) => {
    try {
      if (typeof value === 'string') return value
      if (value instanceof ErrorType) return textOf(value)
      return stringify(value) ?? textOf(value)
    } catch {
      return 'a value that cannot be shown'
    }
  }
  const log = (...values) => {
    const text = cut(apply(join, apply(map, values, [show]), [' ']), ${maxLineLength})
    // As JSON: text crosses only up to its first null character.
    const isFull = hostLog(stringify(text))
    // It is stopped from outside; an error could be caught.
    if (isFull) for (;;);
  }
  const callOf = (name) => (...args) => {
    const text = stringify(args)
    if (text.length > ${maxTextLength}) throw new RangeErrorType('The arguments of ' + name + ' are too long.')
    const answer = parse(hostCall(name, text))
    if (!has(answer, 'error')) return answer.value
    const error = new ErrorType(answer.error.message)
    for (const key of keys(answer.error)) if (key !== 'message') set(error, key, answer.error[key])
    throw error
  }
  for (const name of parse(names)) {
    const dot = name.indexOf('.')
    const place = dot === -1 ? globalThis : (globalThis[name.slice(0, dot)] ??= {})
    place[name.slice(dot + 1)] = callOf(name)
  }
  globalThis.log = log
  globalThis.console = { log, debug: log, info: log, warn: log, error: log }
  globalThis.input = parse(input)
  return {
    finish: (value) => stringify(value) ?? 'null',
    apply: (call, json) => stringify(call(parse(json))) ?? 'null',
    describe: (error) => {
      const known = { name: 'Error', message: '', stack: '' }
      try {
        if (error instanceof ErrorType || (typeof error === 'object' && error !== null && 'message' in error)) {
          known.name = cut(textOf(error.name), 100)
          known.message = cut(textOf(error.message), 2000)
          known.stack = cut(textOf(error.stack), 4000)
        } else known.message = cut(show(error), 2000)
      } catch {
        known.message = 'What was thrown cannot be shown.'
      }
      return stringify(known)
    },
  }
})
`
