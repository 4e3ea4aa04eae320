// A Date whose clock is this far ahead. Timers are unaffected.
const own = Date
const now = () => own.now() + (globalThis.clockAhead ?? 0)

globalThis.Date = new Proxy(own, {
  construct: (target, given, self) =>
    Reflect.construct(target, given.length > 0 ? given : [now()], self),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
