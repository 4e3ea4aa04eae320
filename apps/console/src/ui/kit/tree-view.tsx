import { useLingui } from '@lingui/react'
import { ChevronRight } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree'
import optionStyles from './option.module.css'
import styles from './tree.module.css'
import type { TreeNode, TreeProps } from './tree.tsx'

/** Arrows move, expand and collapse, Home and End jump, letters search, Space and Enter select. */
export function TreeView({ label, nodes, selected, onSelect, defaultExpanded = [] }: TreeProps) {
  const { i18n } = useLingui()
  return (
    <I18nProvider locale={i18n.locale}>
      <Tree
        aria-label={label}
        className={styles.tree ?? ''}
        selectionMode="single"
        selectionBehavior="replace"
        disallowEmptySelection
        escapeKeyBehavior="none"
        selectedKeys={selected === null ? [] : [selected]}
        defaultExpandedKeys={defaultExpanded}
        onSelectionChange={(keys) => {
          if (keys !== 'all') for (const id of keys) onSelect(String(id))
        }}
      >
        {nodes.map((node) => (
          <Node key={node.id} node={node} level={1} />
        ))}
      </Tree>
    </I18nProvider>
  )
}

function Node({ node, level }: { node: TreeNode; level: number }) {
  const { id, label, icon: Icon, note, children = [] } = node
  return (
    <TreeItem
      id={id}
      textValue={label}
      className={`${optionStyles.option} ${styles.row}`}
      style={{ paddingInlineStart: `${8 + (level - 1) * 20}px` }}
    >
      <TreeItemContent>
        {children.length > 0 ? (
          <Button slot="chevron" className={styles.chevron ?? ''}>
            <ChevronRight size={16} aria-hidden />
          </Button>
        ) : (
          <span className={styles.chevron} />
        )}
        {Icon && <Icon size={16} aria-hidden />}
        <bdi className={optionStyles.label}>{label}</bdi>
        {note && <span className={optionStyles.note}>{note}</span>}
      </TreeItemContent>
      {children.map((child) => (
        <Node key={child.id} node={child} level={level + 1} />
      ))}
    </TreeItem>
  )
}
