import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { elementSearchLimit, elementSortsOf } from '@grove/contract/maple/fleet/element.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Microchip, TriangleAlert } from 'lucide-react'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { dash } from '../../../../ui/i18n/moment-text.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { DecodeButton } from '../../base/decode/decode-button.tsx'
import { elements, profilesQuery } from './element.api.ts'
import { chipName, ElementStateBadge, ProfileText, useElementWords } from './element.labels.tsx'
import { elementList, elementQuery, filterOfQuery, noProfile } from './element.search.ts'
import styles from './element.module.css'

const ElementPanel = onDemand(() => import('./element.panel.tsx').then((file) => file.ElementPanel))
const CreateElement = onDemand(() =>
  import('./element.form.tsx').then((file) => file.CreateElement),
)
const ExportElements = onDemand(() =>
  import('./export-elements.tsx').then((file) => file.ExportElements),
)
const ElementBulk = onDemand(() =>
  import('./bulk/element-bulk.tsx').then((file) => file.ElementBulk),
)

/** The secure elements, and beside them one element or the form for a new one. */
export function ElementList() {
  const { i18n, t } = useLingui()
  const words = useElementWords()
  const columns = useElementColumns()
  const list = useResourceList(elements)
  const { search } = useAddress(elementList.read)
  const query = elementQuery(elementList.page(search))
  const { data: known } = useQuery(profilesQuery())
  usePrefetch(ElementBulk)
  const bulkActions = (cplcs: string[], clear: () => void) => (
    <ElementBulk cplcs={cplcs} rows={list.rows} onDone={clear} />
  )
  const chips = [...new Set(known?.platforms.map((platform) => platform.slice(0, 8)))]
  return (
    <>
      <ResourceList
        list={{
          ...list,
          // The filters determine which columns are sortable.
          table: {
            ...list.table,
            sorts: elementSortsOf(query),
            view: { ...list.table.view, sort: query.sort },
          },
        }}
        title={t`Secure elements`}
        description={t`Chips that keep keys, identified by CPLC, in devices or on their own.`}
        icon={Microchip}
        intro={
          <p className={styles.actions}>
            <DecodeButton>{t`Decode…`}</DecodeButton>
            <ExportElements filter={filterOfQuery(query)} />
          </p>
        }
        columns={columns}
        rowLabel={({ cplc }) => icSerial(cplc)}
        selectionActions={bulkActions}
        totalText={(count, more) =>
          t`${plural(count, { one: `#${more} element`, other: `#${more} elements` })}`
        }
        searchLabel={t`Search by CPLC, chip ID or serial`}
        filters={[
          { name: 'state', label: t`State`, options: words.states },
          {
            name: 'profile',
            label: t`Profile`,
            options: [
              ...(known?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
              { value: noProfile, label: t`No profile` },
            ],
            isSingle: true,
          },
          {
            name: 'chipType',
            label: t`Chip`,
            options: chips.map((value) => ({ value, label: chipName(value) })),
            isSingle: true,
          },
          {
            name: 'attached',
            label: t`Device`,
            options: optionsOf({ true: t`In a device`, false: t`In no device` }),
            isSingle: true,
          },
          { name: 'hsm', label: t`Keys`, options: optionsOf(words.keys), isSingle: true },
          {
            name: 'reading',
            label: t`Last reading`,
            options: [{ value: 'differs', label: t`Differed from the records` }],
            isSingle: true,
          },
        ]}
        notice={
          list.result.data?.isTruncated && <Truncated limit={i18n.number(elementSearchLimit)} />
        }
        empty={{
          title: t`No secure elements yet`,
          text: t`A secure element is a chip that keeps keys and runs applets. It appears here with its device, or when you register it by its CPLC.`,
        }}
        create={{ label: t`New element`, form: CreateElement }}
        panel={ElementPanel}
      />
    </>
  )
}

const Truncated = ({ limit }: { limit: string }) => (
  <output className={styles.truncated}>
    <TriangleAlert size={14} aria-hidden />
    <Trans>Only the first {limit} matches: type more to narrow them down</Trans>
  </output>
)

function useElementColumns(): DataColumn<SecureElement>[] {
  const { t } = useLingui()
  const words = useElementWords()
  return [
    nameColumn(elementList, {
      id: 'cplc',
      header: 'CPLC',
      text: ({ cplc }) => cplc,
      content: ({ cplc }) => <code>{cplc}</code>,
    }),
    {
      id: 'serial',
      header: t`Serial`,
      sample: <CopyableId value="00000000" />,
      cell: ({ cplc }) => <CopyableId value={icSerial(cplc)} />,
    },
    {
      id: 'chipId',
      header: t`Chip`,
      cell: ({ cplc, conflicts, difference }) => (
        <>
          {chipName(cplc)}
          {difference && (
            <span className={styles.conflict}>
              <TriangleAlert size={14} aria-hidden />
              <Trans>differed</Trans>
            </span>
          )}
          {conflicts.length > 0 && (
            <span className={styles.conflict}>
              <TriangleAlert size={14} aria-hidden />
              <Trans>conflict</Trans>
            </span>
          )}
        </>
      ),
    },
    {
      id: 'profile',
      header: t`Profile`,
      isSecondary: true,
      cell: (element) => <ProfileText {...element} />,
    },
    stateColumn(t`State`, ElementStateBadge, [{ state: 'initialized' }, { state: 'cardLocked' }]),
    {
      id: 'device',
      header: t`Device`,
      isSecondary: true,
      cell: ({ device }) =>
        device ? (
          <Link
            to="/dashboard/maple/devices"
            search={{ device: device.id }}
            preload={false}
            prefetch="none"
            className={styles.device}
          >
            <bdi>{device.name}</bdi>
          </Link>
        ) : (
          '–'
        ),
    },
    {
      id: 'keys',
      header: t`Keys`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ hsm }: Partial<SecureElement>) => (hsm === undefined ? dash : words.keys[`${hsm}`]),
    },
    momentColumn('updatedAt', t`Last changed`, { isSecondary: true, phone: 'hidden' }),
  ]
}
