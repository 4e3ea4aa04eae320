import type { Activity } from '@grove/contract/cedar/activity'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { problemText } from '../../../../api/problem-text.ts'
import { EventChanges } from '../../../../ui/event/event-changes-table.tsx'
import { EventActor, shortId, useEventWords } from '../../../../ui/event/event.labels.tsx'
import { useSave } from '../../../../ui/file/use-save.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { currentLocale } from '../../../../ui/i18n/locale.ts'
import { DateRange } from '../../../../ui/kit/date-range.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { FilterMenu } from '../../../../ui/table/filter-menu.tsx'
import { SearchBox } from '../../../../ui/table/search-box.tsx'
import {
  activityPages,
  exportActivity,
  type ActivityFilters,
  type ActivitySubject,
} from './activity.api.ts'
import styles from './activity-log.module.css'

interface ActivityLogProps {
  subject: ActivitySubject
  filters: ActivityFilters
  onFilters: (change: Partial<ActivityFilters>) => void
}

/** What happened, the newest first: who did what to what, when, and what differs since. */
export function ActivityLog({ subject, filters, onFilters }: ActivityLogProps) {
  const { t, i18n } = useLingui()
  const { actionOf } = useEventWords()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isPending } =
    useInfiniteQuery({ ...activityPages(subject, filters), placeholderData: keepPreviousData })
  const events = data?.pages.flatMap(({ items }) => items) ?? []
  const actions = data?.pages[0]?.actions ?? []
  const { q = '', action, days } = filters
  const isFiltered = q !== '' || action !== undefined || days !== null

  const save = useSave()

  return (
    <div className={styles.log}>
      <div className={styles.tools}>
        <SearchBox
          label={t`Search by the ID of a person or an object`}
          value={q}
          onChange={(text) => onFilters({ q: text || undefined })}
        />
        <FilterMenu
          label={t`Action`}
          options={actions.map((value) => ({ value, label: actionOf(value) }))}
          selected={action === undefined ? [] : [action]}
          isSingle
          onChange={([chosen]) => onFilters({ action: chosen })}
        />
        <DateRange label={t`When`} value={days} onChange={(next) => onFilters({ days: next })} />
        <button
          type="button"
          className="button"
          onClick={() => void save(() => exportActivity(subject, filters), 'activity.csv')}
        >
          <Download size={16} aria-hidden />
          <Trans>Export as CSV</Trans>
        </button>
      </div>
      {error ? (
        <div className="notice">
          <p role="alert">{problemText(error, i18n)}</p>
          <button type="button" className="button" onClick={() => void refetch()}>
            <Trans>Try again</Trans>
          </button>
        </div>
      ) : isPending ? (
        <output className="page-skeleton" aria-label={t`Loading`}>
          <span className="skeleton" />
          <span className="skeleton" />
        </output>
      ) : events.length === 0 ? (
        <p className="muted">
          {isFiltered ? t`No matching events.` : t`Nothing has happened yet.`}
        </p>
      ) : (
        <ol className={styles.list} aria-label={t`Activity`}>
          {events.map((event) => (
            <ActivityRow key={event.id} event={event} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <p>
          <button
            type="button"
            className="button"
            aria-disabled={isFetchingNextPage}
            onClick={() => !isFetchingNextPage && void fetchNextPage()}
          >
            <Trans>Show older</Trans>
          </button>
        </p>
      )}
    </div>
  )
}

function ActivityRow({ event }: { event: Activity }) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const { reason } = Object(event.after) as { reason?: unknown }
  const hasChanges = event.before !== null || event.after !== null
  return (
    <li>
      <p className={styles.what}>
        {actionOf(event.action)} <Place event={event} />
      </p>
      <span className="muted">
        <DateText value={event.at} isRelative />
      </span>
      <span className={`muted ${styles.wide}`}>
        <Who event={event} />
      </span>
      {typeof reason === 'string' && (
        <blockquote className={styles.reason}>
          <bdi>{reason}</bdi>
        </blockquote>
      )}
      {hasChanges && (
        <details className={styles.wide}>
          <summary>{t`What changed`}</summary>
          <EventChanges event={event} />
        </details>
      )}
    </li>
  )
}

const nameOf = (names: Activity['productNames']) =>
  (names?.find(({ localeCode }) => localeCode === currentLocale()) ?? names?.[0])?.name

/** The object in words, with a link to where it is. */
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
  if (!key) return <Person actor={actor} />
  const name = <bdi>{key.name}</bdi>
  return key.createdBy === viewer.userId ? (
    <Trans>Publish key “{name}”, created by you</Trans>
  ) : (
    <Trans>
      Publish key “{name}”, created by <Person actor={key.createdBy} />
    </Trans>
  )
}

function Person({ actor }: Pick<Activity, 'actor'>) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  if (actor !== null && actor === viewer.userId) return <Trans>You</Trans>
  // The page of people is for administrators.
  if (viewer.isAdmin || actor === null) return <EventActor actor={actor} />
  return <code title={actor}>{shortId(actor)}</code>
}
