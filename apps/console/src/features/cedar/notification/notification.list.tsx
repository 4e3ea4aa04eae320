import type { Notification } from '@grove/contract/cedar/notification'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Bell, Download, Plus } from 'lucide-react'
import { problemText } from '../../../api/problem-text.ts'
import { api } from '../../../session/api.ts'
import { providersQuery } from '../../../session/providers.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { DateRange } from '../../../ui/kit/date-range.tsx'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { useAfterLoad } from '../../../ui/page/use-after-load.ts'
import { nameColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterMenu } from '../../../ui/table/filter-menu.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { saveFile } from '../../../ui/file/save-file.ts'
import { titleIn } from '../parts/titles.ts'
import { useProviderName } from '../parts/use-provider-name.ts'
import {
  daysOf,
  filtersOf,
  historyQuery,
  productChoices,
  systemDataQuery,
} from './notification.api.ts'
import { NotificationStateBadge } from './notification.labels.tsx'
import styles from './notification.module.css'
import { notificationList, notificationSearch } from './notification.search.ts'

const NotificationPanel = onDemand(() =>
  import('./notification.panel.tsx').then((module) => module.NotificationPanel),
)
const ComposeNotification = onDemand(() =>
  import('./notification.form.tsx').then((module) => module.ComposeNotification),
)
const NotificationChart = onDemand(() =>
  import('./notification-chart.tsx').then((module) => module.NotificationChart),
)

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** What was sent to the devices of host apps, and the form for a new notification. */
export function NotificationList() {
  const { t, i18n } = useLingui()
  const { search, onSearch } = useAddress(notificationSearch)
  const list = useList(
    { list: notificationList, query: () => historyQuery(search) },
    search,
    onSearch,
  )
  usePrefetch(NotificationPanel, ComposeNotification)
  const columns = useColumns()
  const { data: systemData } = useQuery(systemDataQuery)
  // A third-party service may not name its transports.
  const { transports = [] } = systemData ?? {}
  const isUnavailable =
    transports.length > 0 && transports.every(({ isConfigured }) => !isConfigured)
  const days = daysOf(search)
  const filters = filtersOf(search)
  const isFiltered = days !== null || notificationList.isFiltered(search)
  const isEmpty = list.rows.length === 0 && !isFiltered
  const clear = {
    productId: undefined,
    providerId: undefined,
    fromDay: undefined,
    toDay: undefined,
  }
  const filter = (change: object) =>
    onSearch({ ...change, cursor: undefined, notification: undefined })
  const download = async () => {
    try {
      const { blob } = await api.cedar.download('/api/notification/csv', { query: filters })
      saveFile(blob, 'notifications.csv')
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
  }
  const compose = (className: string) =>
    list.canCreate && (
      <button type="button" className={className} onClick={list.create}>
        <Plus size={16} aria-hidden />
        {t`New notification`}
      </button>
    )
  return (
    <>
      <PageHeader
        title={<Trans>Notifications</Trans>}
        description={<Trans>Messages to the devices of people who use your apps.</Trans>}
        action={compose('button primary')}
      />
      {isUnavailable && (
        <p className={styles.notice} role="note">
          <Trans>
            Sending is not set up on this platform: notifications are stored but not sent. The
            platform’s operator sets up a transport.
          </Trans>
        </p>
      )}
      {!isEmpty && (
        <div className={styles.chart}>
          <NotificationChart filters={filters} zone={zone} days={days} />
        </div>
      )}
      <DataTable
        {...list.table}
        filterKey={JSON.stringify(filters)}
        isFiltered={isFiltered}
        onClearFilters={() => filter(clear)}
        label={t`Notification history`}
        columns={columns}
        rowLabel={titleOf}
        totalText={(count) =>
          t`${plural(count, { one: '# notification', other: '# notifications' })}`
        }
        filters={
          <>
            <Choices search={search} onFilter={filter} />
            <DateRange
              label={t({ message: 'Due', context: 'notifications' })}
              value={days}
              onChange={(range) => filter({ fromDay: range?.from, toDay: range?.to })}
            />
            <button type="button" className="button quiet" onClick={() => void download()}>
              <Download size={16} aria-hidden />
              CSV
            </button>
          </>
        }
        notice={
          <p className={styles.zone}>
            <Trans>Times and days are in {zone}; the range includes its last day.</Trans>
          </p>
        }
        empty={
          <EmptyState
            icon={Bell}
            title={t`No notifications yet`}
            text={t`A notification reaches the devices that your host app has registered, in each device’s language. Write one, try it on your own phone, and send it now or later.`}
            action={compose('button')}
          />
        }
      />
      {list.isCreating ? (
        <ComposeNotification onClose={list.close} onCreated={list.open} />
      ) : (
        list.panel && <NotificationPanel {...list.panel} />
      )}
    </>
  )
}

interface ChoicesProps {
  search: ReturnType<typeof notificationSearch>
  onFilter: (change: object) => void
}

/** The filters by app and by provider. */
function Choices({ search, onFilter }: ChoicesProps) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  // An empty history has no filters: their options load once there are rows, or a filter to name.
  const isQuiet = useAfterLoad()
  const enabled = isQuiet || search.productId !== undefined || search.providerId !== undefined
  const { data: products } = useQuery({ ...productChoices, enabled })
  const { data: providers = [] } = useQuery({ ...providersQuery, enabled })
  const chosen = (name: 'productId' | 'providerId') => notificationList.knownOf(search, name)
  const withChosen = (options: { value: string; label: string }[], values: readonly string[]) => [
    ...options,
    ...values
      .filter((value) => !options.some((option) => option.value === value))
      .map((value) => ({ value, label: value })),
  ]
  const apps = (products?.items ?? []).map(({ productId, translations }) => ({
    value: productId,
    label: titleIn(translations, currentLocale()).title,
  }))
  const publishers = providers.map((provider) => ({ value: provider.id, label: nameOf(provider) }))
  return (
    <>
      <FilterMenu
        label={t`App`}
        options={withChosen(apps, chosen('productId'))}
        selected={chosen('productId')}
        isSingle
        onChange={(productId) => onFilter({ productId: productId.slice(0, 1) })}
      />
      {(providers.length > 1 || search.providerId) && (
        <FilterMenu
          label={t({ message: 'Provider', context: 'of apps' })}
          options={withChosen(publishers, chosen('providerId'))}
          selected={chosen('providerId')}
          isSingle
          onChange={(providerId) => onFilter({ providerId: providerId.slice(0, 1) })}
        />
      )}
    </>
  )
}

const titleOf = ({ translations }: Pick<Notification, 'translations'>) =>
  titleIn(translations, currentLocale()).title

function useColumns(): DataColumn<Notification>[] {
  const { t, i18n } = useLingui()
  const count = (
    id: 'sent' | 'delivered' | 'opened' | 'failed',
    header: string,
  ): DataColumn<Notification> => ({
    id,
    header,
    align: 'end',
    phone: 'hidden',
    isSecondary: id === 'failed',
    cell: (row) => i18n.number(row[id]),
  })
  return [
    nameColumn<Notification>(notificationList, {
      id: 'title',
      header: t({ message: 'Title', context: 'of a notification' }),
      text: titleOf,
    }),
    {
      id: 'app',
      header: t`App`,
      cell: ({ productTranslations }) => (
        <bdi>{titleIn(productTranslations, currentLocale()).title}</bdi>
      ),
    },
    stateColumn(t`State`, NotificationStateBadge, [{ state: 'scheduled' }, { state: 'not_sent' }]),
    count('sent', t({ message: 'Sent', context: 'messages' })),
    count('delivered', t({ message: 'Delivered', context: 'messages' })),
    count('opened', t({ message: 'Opened', context: 'messages' })),
    count('failed', t({ message: 'Failed', context: 'messages' })),
    {
      id: 'at',
      header: t({ message: 'Due', context: 'notifications' }),
      sample: <DateText value="2026-12-28T20:58:58Z" />,
      cell: ({ at }) => <DateText value={at} />,
    },
  ]
}
