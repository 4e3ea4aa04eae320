// More than a screen holds: rows further down would only reserve room.
const drawnRows = 20

/** Rows of the same height as the loaded ones. */
export const SkeletonRows = ({ rows, columns }: { rows: number; columns: number }) =>
  Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden>
      {row >= drawnRows ? (
        <td colSpan={columns}>&nbsp;</td>
      ) : (
        Array.from({ length: columns }, (_, column) => (
          <td key={column}>
            <span className="skeleton">&nbsp;</span>
          </td>
        ))
      )}
    </tr>
  ))
