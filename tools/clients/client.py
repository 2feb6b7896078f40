"""An example client with the code that openapi-python-client generates from /openapi.json.

`python client.py BASE` publishes, redeploys, lists the deploys, rolls back and prints the results as JSON.
"""

import json
import sys

from stele_client import Client
from stele_client.api.deploy import deploy, redeploy
from stele_client.api.history import list_deploys, rollback
from stele_client.models import DeployJsonBody, DeployResult, Problem, RedeployJsonBody, RollbackBody

client = Client(base_url=sys.argv[1])


def page(html: str) -> dict:
    return {"files": [{"path": "index.html", "content": html}]}


first = deploy.sync(client=client, body=DeployJsonBody.from_dict(page("<h1>One</h1>")))
assert isinstance(first, DeployResult), first
token = first.edit_token
second = redeploy.sync(
    client=client, body=RedeployJsonBody.from_dict(page("<h1>Two</h1>")), slug=first.slug, x_svc_edit_token=token
)
assert isinstance(second, DeployResult), second
deploys = list_deploys.sync(first.slug, client=client, x_svc_edit_token=token)
back = rollback.sync(first.slug, client=client, body=RollbackBody(number=1), x_svc_edit_token=token)
unknown = rollback.sync(first.slug, client=client, body=RollbackBody(deploy_id="dep_unknown"), x_svc_edit_token=token)
assert isinstance(unknown, Problem), unknown
print(
    json.dumps(
        {
            "slug": first.slug,
            "deployId": first.deploy_id,
            "second": second.deploy_id,
            "deploys": [each.deploy_id for each in deploys.items],
            "live": back.deploy_id,
            "code": str(unknown.code),
        }
    )
)
