import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { createElement, Fragment, type ReactNode } from 'react'
import type { GuideNode } from '../../ui/guide/guide.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import styles from './guide-body.module.css'

/** What a guide may consist of; anything else in its tree is a build error. */
const plain = /^(p|ul|ol|li|strong|em|code|br|hr|blockquote|thead|tbody|tr|th|td)$/

/** A guide as elements: its tree contains no markup that would have to be trusted. */
export const GuideBody = ({ nodes }: { nodes: readonly GuideNode[] }) => (
  <>
    {nodes.map((node, at) => (
      // oxlint-disable-next-line react/no-array-index-key -- a guide does not change while it is shown
      <Fragment key={at}>{elementOf(node)}</Fragment>
    ))}
  </>
)

function elementOf(node: GuideNode): ReactNode {
  if (typeof node === 'string') return node
  const [tag, attributes, ...inside] = node
  const children = inside.length > 0 ? <GuideBody nodes={inside} /> : undefined
  if (/^h[1-6]$/.test(tag))
    return (
      <Heading tag={tag as 'h2'} id={String(attributes['id'])}>
        {children}
      </Heading>
    )
  if (tag === 'a') return <GuideLink {...attributes}>{children}</GuideLink>
  if (tag === 'pre')
    return <Code code={inside.filter((each) => typeof each === 'string').join('')} />
  if (tag === 'table') return <Table>{children}</Table>
  if (!plain.test(tag)) throw new Error(`A guide has no ${tag}.`)
  return createElement(tag, attributes, children)
}

function Heading({ tag, id, children }: { tag: 'h2'; id: string; children: ReactNode }) {
  const { t } = useLingui()
  const Tag = tag
  const address = () => {
    const { origin, pathname } = location
    return `${origin}${pathname}#${id}`
  }
  return (
    <div className={styles.heading} data-level={tag}>
      <Tag id={id}>{children}</Tag>
      <CopyButton value={address()} label={t`Copy the link to this section`} />
    </div>
  )
}

interface GuideLinkProps {
  to?: string
  hash?: string
  href?: string
  children: ReactNode
}

function GuideLink({ to, hash, href, children }: GuideLinkProps) {
  if (href !== undefined) return <a href={href}>{children}</a>
  const place = hash === undefined ? {} : { hash }
  return to === '' || to === undefined ? (
    <Link to="/docs" {...place}>
      {children}
    </Link>
  ) : (
    <Link to="/docs/$guide" params={{ guide: to }} {...place}>
      {children}
    </Link>
  )
}

function Code({ code }: { code: string }) {
  const { t } = useLingui()
  return (
    <div className={styles.code}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls what is wider than the page */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton value={code} label={t`Copy the code`} />
    </div>
  )
}

const Table = ({ children }: { children: ReactNode }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls what is wider than the page
  <div className={styles.table} tabIndex={0}>
    <table>{children}</table>
  </div>
)
