import type { Event } from '@grove/contract/core/event'
import { EventActor } from '../../../../ui/event/event.labels.tsx'
import { Person } from './person.tsx'

/** Who did what a timeline says; nobody where a device did it. */
export const EventPerson = ({ actor }: Pick<Event, 'actor'>) =>
  actor === null ? <EventActor actor={null} /> : <Person id={actor} isCopyable />
