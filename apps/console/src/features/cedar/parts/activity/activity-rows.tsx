import type { Activity } from '@grove/contract/cedar/activity'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { EventPerson } from '../../../../people/event-person.tsx'
import { shortId, useEventWords } from '../../../../ui/event/event.labels.tsx'
import { EventRow } from '../../../../ui/event/event-row.tsx'
import { currentLocale } from '../../../../ui/i18n/locale.ts'
import { Link } from '../../../../ui/link/link.tsx'
import styles from './activity-log.module.css'

interface ActivityRowsProps {
  events: readonly Activity[]
  /** Leaves out what changed. */
  isBrief?: boolean
}

export function ActivityRows({ events, isBrief = false }: ActivityRowsProps) {
  const { t } = useLingui()
  return (
    <ol aria-label={t`Activity`}>
      {events.map((event) => (
        <ActivityRow key={event.id} event={event} isBrief={isBrief} />
      ))}
    </ol>
  )
}

function ActivityRow({ event, isBrief }: { event: Activity; isBrief: boolean }) {
  const { actionOf } = useEventWords()
  const { reason } = Object(event.after) as { reason?: unknown }
  return (
    <EventRow
      event={event}
      title={
        <>
          {actionOf(event.action)} <Place event={event} />
        </>
      }
      who={<Who event={event} />}
      hasRelativeDate
      isBrief={isBrief}
    >
      {typeof reason === 'string' && (
        <blockquote className={styles.reason}>
          <bdi>{reason}</bdi>
        </blockquote>
      )}
    </EventRow>
  )
}

const nameOf = (names: Activity['productNames']) =>
  (names?.find(({ localeCode }) => localeCode === currentLocale()) ?? names?.[0])?.name

/** The object in words, with a link to its page. */
function Place({ event }: { event: Activity }) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { productId, providerId, version } = event
  const [product, provider] = [nameOf(event.productNames), nameOf(event.providerNames)]
  if (productId !== null && product !== undefined)
    return (
      <Link to="/dashboard/cedar/mobile/$productId" params={{ productId }} preload={false}>
        <bdi>{product}</bdi>
        {version !== null && ` ${version}`}
      </Link>
    )
  if (provider === undefined || providerId === null) return <code>{shortId(event.subject)}</code>
  return viewer.isAdmin ? (
    <Link to="/dashboard/cedar/providers" search={{ provider: providerId }} preload={false}>
      <bdi>{provider}</bdi>
    </Link>
  ) : (
    <bdi>{provider}</bdi>
  )
}

function Who({ event: { actor, key } }: { event: Activity }) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  if (!key) return <Actor actor={actor} />
  const name = <bdi>{key.name}</bdi>
  return key.createdBy === viewer.userId ? (
    <Trans>Publish key “{name}”, created by you</Trans>
  ) : (
    <Trans>
      Publish key “{name}”, created by <Actor actor={key.createdBy} />
    </Trans>
  )
}

function Actor({ actor }: Pick<Activity, 'actor'>) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  if (actor !== null && actor === viewer.userId) return <Trans>You</Trans>
  return <EventPerson actor={actor} />
}
