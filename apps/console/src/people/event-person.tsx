import type { Event } from '@grove/contract/core/event'
import { useLingui } from '@lingui/react/macro'
import { Person } from './person.tsx'

interface EventPersonProps extends Pick<Event, 'actor'> {
  isCopyable?: boolean
}

/** Who caused an event; nobody if it was a device, or someone who was not signed in. */
export function EventPerson({ actor, isCopyable = false }: EventPersonProps) {
  const { t } = useLingui()
  if (actor === null) return <span className="muted">{t`Not signed in`}</span>
  return <Person id={actor} isLinked isCopyable={isCopyable} />
}
