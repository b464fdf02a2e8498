import React, { useEffect, useState } from 'react'

const headers = { authorization: 'Bearer ada-token' }

/** Lists insights, and deletes one. Tries again once if the service fails. */
export function Insights({ api }) {
  const [insights, setInsights] = useState([])
  const list = async () => {
    let response = await fetch(`${api}/insights`, { headers })
    if (!response.ok) response = await fetch(`${api}/insights`, { headers })
    setInsights(await response.json())
  }
  const remove = async (id) => {
    await fetch(`${api}/insights/${id}`, { method: 'DELETE', headers })
    await list()
  }
  useEffect(() => void list(), [])
  return (
    <ul>
      {insights.map(({ id }) => (
        <li key={id}>
          {id} <button onClick={() => remove(id)}>Delete {id}</button>
        </li>
      ))}
    </ul>
  )
}
