import type { ServiceName } from '@grove/contract/call'
import type { Event } from '@grove/contract/core/event'
import { Plural } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import { shortId } from '../ui/event/event.labels.tsx'
import { Link } from '../ui/link/link.tsx'
import { Person } from './person.tsx'

/** The number of devices in a bulk change. */
function BulkSize({ id }: { id: string }) {
  const { data } = useQuery(api.maple.query('/api/maple/device/bulk/{id}', { params: { id } }))
  const total = data?.total
  return total === undefined || total === null ? (
    <code title={id}>{shortId(id)}</code>
  ) : (
    <Plural value={total} one="# device" other="# devices" />
  )
}

interface EventSubjectProps {
  service: ServiceName
  event: Event
}

/** The subject of an event, as a link if it has a page. */
export function EventSubject({ service, event: { action, subject } }: EventSubjectProps) {
  const id = <code title={subject}>{shortId(subject)}</code>
  switch (action === 'device.import' ? action : `${service} ${action.split('.')[0]}`) {
    case 'device.import':
      return (
        <Link to="/dashboard/maple/imports" search={{ import: subject }} preload={false}>
          {id}
        </Link>
      )
    case 'maple device_bulk':
      return (
        <Link to="/dashboard/maple/changes" search={{ change: subject }} preload={false}>
          <BulkSize id={subject} />
        </Link>
      )
    case 'maple device':
    case 'maple element':
    case 'maple wearable':
      return (
        <Link to="/dashboard/maple/devices" search={{ device: subject }} preload={false}>
          {id}
        </Link>
      )
    case 'maple account':
      return (
        <Link to="/dashboard/maple/accounts" search={{ account: subject }} preload={false}>
          <Person id={subject} isByEmail />
        </Link>
      )
    case 'auth account':
      return <Person id={subject} isLinked isByEmail />
    case 'auth invitation':
      return (
        <Link
          to="/dashboard/cedar/account/invitations"
          search={{ invitation: subject }}
          preload={false}
        >
          {id}
        </Link>
      )
    case 'cedar product':
      return (
        <Link
          to="/dashboard/cedar/mobile/$productId"
          params={{ productId: subject }}
          preload={false}
        >
          {id}
        </Link>
      )
    default:
      return action.startsWith('job.') ? (
        <Link to="/dashboard/system/jobs" search={{ service, job: subject }} preload={false}>
          {id}
        </Link>
      ) : (
        id
      )
  }
}
