from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0008_locks_by_key"),
    ]

    operations = [
        migrations.AlterField(
            model_name="workspacechange",
            name="kind",
            field=models.CharField(
                choices=[
                    ("workspace.created", "workspace.created"),
                    ("member.added", "member.added"),
                    ("member.changed", "member.changed"),
                    ("authority.set", "authority.set"),
                    ("policy.written", "policy.written"),
                    ("policy.activated", "policy.activated"),
                    ("policy.withdrawn", "policy.withdrawn"),
                    ("provider.connected", "provider.connected"),
                    ("token.issued", "token.issued"),
                    ("token.revoked", "token.revoked"),
                    ("person.erased", "person.erased"),
                ],
                max_length=40,
            ),
        ),
    ]
