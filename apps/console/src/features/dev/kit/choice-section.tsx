import { useLingui } from '@lingui/react/macro'
import { Cpu, Folder, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { matchingOptions, type ComboboxOption } from '../../../ui/kit/combobox-options.ts'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import { DateRange } from '../../../ui/kit/date-range.tsx'
import type { DayRange } from '../../../ui/kit/day-range.ts'
import { Tabs } from '../../../ui/kit/tabs.tsx'
import { Tree } from '../../../ui/kit/tree.tsx'
import { FilterMenu } from '../../../ui/table/filter-menu.tsx'
import { SearchBox } from '../../../ui/table/search-box.tsx'
import styles from './kit-page.module.css'
import { KitSection, Piece } from './sample.tsx'

const cities = ['Berlin', 'Hamburg', 'Kazan', 'Köln', 'London', 'Lyon', 'Moscow', 'Munich', 'Омск']
const places = cities.map((label, index) => ({ id: label, label, note: `site-${index + 1}` }))
const many = Array.from({ length: 2000 }, (_, index) => ({
  id: `device-${index + 1}`,
  label: `Device ${index + 1}`,
}))

/** Answers slowly, like a server, and fails for one query. */
const searchDevices = async (query: string, signal: AbortSignal) => {
  await new Promise((resolve) => setTimeout(resolve, 300))
  signal.throwIfAborted()
  if (query === 'fail') throw new Error('The search failed.')
  return matchingOptions(many, query).slice(0, 20)
}

/** Controls for choosing. */
export function ChoiceSection() {
  const { t } = useLingui()
  const [place, setPlace] = useState<ComboboxOption | null>(null)
  const [device, setDevice] = useState<ComboboxOption | null>(null)
  const [range, setRange] = useState<DayRange | null>({ from: '2026-11-01', to: '2026-11-07' })
  const [created, setCreated] = useState<DayRange | null>(null)
  const [states, setStates] = useState<readonly string[]>(['online'])
  const [query, setQuery] = useState('')
  return (
    <KitSection title={t`Choices`}>
      <Piece name="Combobox">
        <div className={styles.column}>
          <Combobox
            label={t`Place`}
            value={place}
            onChange={setPlace}
            options={places}
            isClearable
          />
        </div>
        <div className={styles.column}>
          <Combobox
            label={t`Device`}
            value={device}
            onChange={setDevice}
            options={searchDevices}
            placeholder={t`Search the server`}
          />
        </div>
        <div className={styles.column}>
          <Combobox
            label={t`Out of 2,000`}
            value={many[1233] ?? null}
            onChange={() => {}}
            options={many}
          />
        </div>
        <div className={styles.column}>
          <Combobox
            label={t`Wrong`}
            value={null}
            onChange={() => {}}
            options={places}
            button={{ 'aria-invalid': true }}
          />
        </div>
        <div className={styles.column}>
          <Combobox
            label={t`Disabled`}
            value={places[0] ?? null}
            onChange={() => {}}
            options={places}
            button={{ disabled: true }}
          />
        </div>
      </Piece>
      <Piece name="DateRange">
        <DateRange label={t`Created`} value={created} onChange={setCreated} />
        <DateRange label={t`Last seen`} value={range} onChange={setRange} />
      </Piece>
      <Piece name={t`Filters`}>
        <SearchBox label={t`Search by name or ID`} value={query} onChange={setQuery} />
        <FilterMenu
          label={t`State`}
          options={[
            { value: 'online', label: t`Online` },
            { value: 'offline', label: t`Offline` },
          ]}
          selected={states}
          onChange={setStates}
        />
      </Piece>
      <Piece name="Tabs">
        <SampleTabs />
      </Piece>
      <Piece name="Tree">
        <SampleTree />
      </Piece>
    </KitSection>
  )
}

function SampleTabs() {
  const { t } = useLingui()
  const [tab, setTab] = useState<'package' | 'listing' | 'release'>('package')
  const texts = {
    package: t`The files of the app.`,
    listing: t`What readers see.`,
    release: t`When it goes live.`,
  }
  return (
    <div className={styles.wide}>
      <Tabs
        label={t`Version`}
        tabs={[
          { id: 'package', label: t`Package` },
          { id: 'listing', label: t`Listing`, badge: <span className="muted">2</span> },
          { id: 'release', label: t`Release` },
        ]}
        selected={tab}
        onSelect={setTab}
      >
        <p>{texts[tab]}</p>
      </Tabs>
    </div>
  )
}

function SampleTree() {
  const { t } = useLingui()
  const [selected, setSelected] = useState<string | null>('berlin-1')
  return (
    <div className={styles.column}>
      <Tree
        label={t`Places and devices`}
        selected={selected}
        onSelect={setSelected}
        defaultExpanded={['berlin']}
        nodes={[
          {
            id: 'berlin',
            label: 'Berlin',
            icon: Folder,
            note: '2',
            children: [
              { id: 'berlin-1', label: t`Turnstile`, icon: Smartphone },
              {
                id: 'berlin-2',
                label: t`Ticket machine`,
                icon: Smartphone,
                children: [{ id: 'element', label: t`Secure element`, icon: Cpu }],
              },
            ],
          },
          {
            id: 'kazan',
            label: 'Kazan',
            icon: Folder,
            note: '1',
            children: [{ id: 'kazan-1', label: t`Gate`, icon: Smartphone }],
          },
          { id: 'omsk', label: 'Омск', icon: Folder, note: '0' },
        ]}
      />
    </div>
  )
}
